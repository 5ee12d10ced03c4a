#include "collectives/item_type.h"

#include "base/errors.h"

namespace haichi::collectives {

void throw_message_too_large() { throw UnsupportedError("the size of a message does not fit in 64 bits"); }

}  // namespace haichi::collectives
