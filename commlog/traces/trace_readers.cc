#include "commlog/traces/trace_readers.h"

#include "commlog/readers/trace_formats.h"

namespace haichi {

TraceReaders trace_readers() {
    return {otf2_reader(), read_dumpi, read_tit, read_goal, read_monitoring, read_mpip, read_ipm, read_paraver};
}

}  // namespace haichi
