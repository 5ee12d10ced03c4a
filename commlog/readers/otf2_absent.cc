// Stands in for otf2.cc where haichi is built without the library.
#include "base/errors.h"
#include "commlog/readers/log_formats.h"
#include "commlog/readers/otf2_recognition.h"

namespace haichi {

LogFormat otf2_log_format() {
    return {"otf2", "an OTF2 archive (of Score-P, EZTrace and others): its .otf2 file; not in this build",
            LogContent::kOrdered, begins_like_otf2, [](const std::string& path, ReadProgress&) -> JobLog {
                throw UnsupportedError(path + ": is an OTF2 archive, and haichi was built without OTF2",
                                       "install libopen-trace-format2-dev and build haichi again");
            }};
}

}  // namespace haichi
