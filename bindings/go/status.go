package guira

// #include <guira.h>
import "C"

// Error is the status of a call that failed. Compare it with errors.Is.
type Error int

// The reasons why a call may fail.
const (
	ErrNoMemory    Error = C.GUIRA_ENOMEM
	ErrInvalid     Error = C.GUIRA_EINVAL       // an argument is invalid, or the filter is closed
	ErrFull        Error = C.GUIRA_EFULL        // no room left for this key
	ErrDuplicate   Error = C.GUIRA_EDUPLICATE   // more copies of one key than its buckets can hold; never from a tidal filter
	ErrNotFound    Error = C.GUIRA_ENOTFOUND    // the key is not in the filter
	ErrExists      Error = C.GUIRA_EEXIST       // the key may be in the filter already
	ErrFormat      Error = C.GUIRA_EFORMAT      // not a guira file, or one of something else
	ErrCorrupt     Error = C.GUIRA_ECORRUPT     // a checksum is wrong or an invariant is broken
	ErrIO          Error = C.GUIRA_EIO          // reading or writing failed
	ErrLimit       Error = C.GUIRA_ELIMIT       // beyond the limits of this filter
	ErrUnsupported Error = C.GUIRA_EUNSUPPORTED // this filter cannot do that
	ErrNoFile      Error = C.GUIRA_ENOENT       // there is no such file or directory
	ErrPermission  Error = C.GUIRA_EACCES       // the system does not allow it
	ErrNoSpace     Error = C.GUIRA_ENOSPC       // no space left for the file
)

// Error is the text of the status.
func (e Error) Error() string { return "guira: " + C.GoString(C.guira_strerror(C.guira_status(e))) }

func failure(s C.guira_status) error {
	if s == C.GUIRA_OK {
		return nil
	}
	return Error(s)
}

// Version of the library, for example "1.2.3".
func Version() string { return C.GoString(C.guira_version()) }
