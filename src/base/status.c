/* The text of a status, and the version of the library. */
#include "guira.h"

const char *guira_strerror(guira_status s) {
    /* No default, so that the compiler reports a status without a text. */
    switch (s) {
    case GUIRA_OK: return "no error";
    case GUIRA_ENOMEM: return "out of memory";
    case GUIRA_EINVAL: return "invalid argument";
    case GUIRA_EFULL: return "no room left for this key";
    case GUIRA_EDUPLICATE: return "too many copies of this key";
    case GUIRA_ENOTFOUND: return "key not found";
    case GUIRA_EEXIST: return "key may be present already";
    case GUIRA_EFORMAT: return "not a guira file, or of an unknown version";
    case GUIRA_ECORRUPT: return "data is corrupt";
    case GUIRA_EIO: return "input or output failed";
    case GUIRA_ELIMIT: return "beyond the limits of this filter";
    case GUIRA_EUNSUPPORTED: return "not possible with this kind of filter";
    case GUIRA_ENOENT: return "no such file or directory";
    case GUIRA_EACCES: return "permission denied";
    case GUIRA_ENOSPC: return "no space left";
    }
    return "unknown status";
}

const char *guira_version(void) { return GUIRA_VERSION_STRING; }
