#include "mapper/anneal/objective_table.h"

namespace haichi {

const Table<ObjectiveRow>& objectives() {
    static const Table<ObjectiveRow> kTable = objective_table(built_in_objectives());
    return kTable;
}

}  // namespace haichi
