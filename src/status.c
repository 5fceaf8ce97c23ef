/* Names: of the things that can go wrong, and of the library itself. */
#include "guira.h"

const char *guira_strerror(guira_status s) {
    /* No default, so that the compiler names the status somebody forgot here. */
    switch (s) {
    case GUIRA_OK: return "no error";
    case GUIRA_ENOMEM: return "out of memory";
    case GUIRA_EINVAL: return "invalid argument";
    case GUIRA_EFULL: return "no room left for this key";
    case GUIRA_EDUPLICATE: return "too many copies of this key";
    case GUIRA_ENOTFOUND: return "key not found";
    case GUIRA_EEXIST: return "key may be there already";
    case GUIRA_EFORMAT: return "not a guira file, or of an unknown version";
    case GUIRA_ECORRUPT: return "data is corrupt";
    case GUIRA_EIO: return "input or output failed";
    case GUIRA_ELIMIT: return "larger than this filter can become";
    case GUIRA_EUNSUPPORTED: return "not possible with this kind of filter";
    }
    return "unknown status";
}

const char *guira_version(void) { return GUIRA_VERSION_STRING; }
