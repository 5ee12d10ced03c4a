#include "commlog/readers/formats.h"
#include "commlog/readers/text_shape.h"
#include "commlog/workload/workload_json.h"

namespace haichi {

WorkloadFormat json_workload_format() {
    return {"json", "haichi-workload/1: communication sets with labels and computation times, repeated in iterations",
            [](const TextShape& shape) { return shape.is_json; },
            [](TextStream& stream) { return read_workload_json(stream); }};
}

}  // namespace haichi
