#pragma once

#include <functional>

namespace haichi {

/// Asked now and then by a placement that takes long; false: it gives up.
using MayGoOn = std::function<bool()>;

}  // namespace haichi
