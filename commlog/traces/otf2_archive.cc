#include "commlog/traces/otf2_archive.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <optional>

#include "base/errors.h"

namespace haichi {

namespace {

/// The most recent message of the library. All archives of a process share one callback.
thread_local std::string last_message;

OTF2_ErrorCode keep_message(void* /*user*/, const char* /*file*/, std::uint64_t /*line*/, const char* /*function*/,
                            OTF2_ErrorCode code, const char* format, std::va_list arguments) {
    char text[512] = "";
    if (format != nullptr) std::vsnprintf(text, sizeof(text), format, arguments);
    // The first of several errors states the cause.
    if (last_message.empty()) last_message = text;
    return code;
}

constexpr ::rlim_t kMostBytesToOpen = ::rlim_t{1} << 28;

/// During its lifetime, limits the address space to its present size plus kMostBytesToOpen.
class LimitedMemory {
  public:
    LimitedMemory() {
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        if (pages == 0 || ::getrlimit(RLIMIT_AS, &former_) != 0) return;
        ::rlimit limit = former_;
        limit.rlim_cur = std::min<::rlim_t>(
            former_.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + kMostBytesToOpen);
        is_set_ = ::setrlimit(RLIMIT_AS, &limit) == 0;
    }
    ~LimitedMemory() {
        if (is_set_) (void)::setrlimit(RLIMIT_AS, &former_);
    }
    LimitedMemory(const LimitedMemory&) = delete;
    LimitedMemory& operator=(const LimitedMemory&) = delete;

  private:
    ::rlimit former_{};
    bool is_set_ = false;
};

OTF2_Reader* open_reader(const std::string& path, Otf2Archive::Opening opening) {
    std::optional<LimitedMemory> limit;
    if (opening == Otf2Archive::Opening::kLimited) limit.emplace();
    return OTF2_Reader_Open(path.c_str());
}

}  // namespace

/// Receives the definitions from the library. The callbacks only store definitions, because exceptions must not pass
/// through the library's C code.
class Otf2Archive::Definitions {
  public:
    static OTF2_CallbackCode on_clock(void* user, std::uint64_t resolution, std::uint64_t /*offset*/,
                                      std::uint64_t /*length*/, std::uint64_t /*date*/) {
        if (resolution != 0) archive(user).ticks_per_second_ = static_cast<double>(resolution);
        return OTF2_CALLBACK_SUCCESS;
    }
    static OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* string) {
        if (string != nullptr && std::string_view(string).starts_with("MPI_")) {
            archive(user).mpi_strings_.emplace(self, std::string(string).substr(0, 64));
        }
        return OTF2_CALLBACK_SUCCESS;
    }
    static OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                       OTF2_StringRef /*description*/, OTF2_RegionRole /*role*/,
                                       OTF2_Paradigm /*paradigm*/, OTF2_RegionFlag /*flags*/, OTF2_StringRef /*file*/,
                                       std::uint32_t /*begin*/, std::uint32_t /*end*/) {
        Otf2Archive& a = archive(user);
        if (a.mpi_strings_.contains(name)) {
            a.regions_[self] = name;
        } else if (a.mpi_strings_.contains(canonical)) {
            a.regions_[self] = canonical;
        }
        return OTF2_CALLBACK_SUCCESS;
    }
    static OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef /*name*/,
                                         OTF2_LocationType type, std::uint64_t /*events*/,
                                         OTF2_LocationGroupRef group) {
        if (type == OTF2_LOCATION_TYPE_CPU_THREAD) archive(user).process_of_[self] = group;
        return OTF2_CALLBACK_SUCCESS;
    }
    static OTF2_CallbackCode on_group(void* user, OTF2_GroupRef self, OTF2_StringRef /*name*/, OTF2_GroupType type,
                                      OTF2_Paradigm paradigm, OTF2_GroupFlag /*flags*/, std::uint32_t count,
                                      const std::uint64_t* members) {
        if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
        Otf2Archive& a = archive(user);
        // In EZTrace's archives, the list of locations and the group of MPI_COMM_WORLD have the same number.
        if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
            if (a.ranks_.empty()) a.ranks_.assign(members, members + count);
        } else if (type == OTF2_GROUP_TYPE_COMM_GROUP || type == OTF2_GROUP_TYPE_COMM_SELF) {
            Group& group = a.groups_[self];
            group.of_self = type == OTF2_GROUP_TYPE_COMM_SELF;
            group.members.assign(members, members + count);
        }
        return OTF2_CALLBACK_SUCCESS;
    }
    static OTF2_CallbackCode on_comm(void* user, OTF2_CommRef self, OTF2_StringRef /*name*/, OTF2_GroupRef group,
                                     OTF2_CommRef /*parent*/, OTF2_CommFlag /*flags*/) {
        Comm comm;
        comm.group = group;
        archive(user).comms_.insert_or_assign(self, comm);
        return OTF2_CALLBACK_SUCCESS;
    }
    static OTF2_CallbackCode on_inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef /*name*/,
                                           OTF2_GroupRef group_a, OTF2_GroupRef group_b, OTF2_CommRef /*common*/,
                                           OTF2_CommFlag /*flags*/) {
        Comm comm;
        comm.group = group_a;
        comm.remote = group_b;
        comm.inter = true;
        archive(user).comms_.insert_or_assign(self, comm);
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode on_window(void* user, OTF2_RmaWinRef self, OTF2_StringRef /*name*/, OTF2_CommRef comm,
                                       OTF2_RmaWinFlag /*flags*/) {
        archive(user).windows_.insert_or_assign(self, comm);
        return OTF2_CALLBACK_SUCCESS;
    }

  private:
    static Otf2Archive& archive(void* user) { return *static_cast<Otf2Archive*>(user); }
};

Otf2Archive::Otf2Archive(const std::string& path, TracedJob* job, Opening opening)
    : path_(path), job_(job), former_callback_(OTF2_Error_RegisterCallback(keep_message, nullptr)) {
    last_message.clear();
    try {
        reader_.reset(open_reader(path, opening));
        if (!reader_) throw InputError(path + ": cannot open the OTF2 archive: " + shown(last_message));
        check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()), "open the archive");
        read_definitions();
        assign_locations();
    } catch (...) {
        reader_.reset();
        OTF2_Error_RegisterCallback(former_callback_, nullptr);
        throw;
    }
}

Otf2Archive::~Otf2Archive() {
    reader_.reset();
    OTF2_Error_RegisterCallback(former_callback_, nullptr);
}

void Otf2Archive::check(OTF2_ErrorCode code, const std::string& doing) const {
    if (code == OTF2_SUCCESS) return;
    const std::string said = last_message.empty() ? OTF2_Error_GetDescription(code) : last_message;
    throw InputError(
        path_ + ": cannot " + doing + ": " + shown(said),
        "check with otf2-print how much of the archive is readable; it is damaged, or one of its files is missing");
}

void Otf2Archive::read_definitions() {
    struct Delete {
        void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const {
            OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
        }
    };
    OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader_.get());
    if (definitions == nullptr) check(OTF2_ERROR_INVALID_DATA, "read the definitions");
    const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, Delete> callbacks(OTF2_GlobalDefReaderCallbacks_New());
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks.get(), Definitions::on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks.get(), Definitions::on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks.get(), Definitions::on_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks.get(), Definitions::on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks.get(), Definitions::on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks.get(), Definitions::on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks.get(), Definitions::on_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks.get(), Definitions::on_window);
    check(OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), definitions, callbacks.get(), this),
          "read the definitions");
    std::uint64_t read = 0;
    check(OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), definitions, &read), "read the definitions");
    check(OTF2_Reader_CloseGlobalDefReader(reader_.get(), definitions), "read the definitions");
}

void Otf2Archive::assign_locations() {
    if (ranks_.empty()) {
        throw InputError(path_ + ": the archive has no MPI locations, so it is not a trace of an MPI program",
                         "record the program with the MPI module of Score-P or EZTrace");
    }
    if (ranks_.size() > static_cast<std::size_t>(kMostTracedRanks)) {
        throw InputError(path_ + ": the archive has more than 2^20 ranks");
    }
    nobody_ = job_->add_communicator({});
    std::map<OTF2_LocationGroupRef, std::int32_t> rank_of_process;
    std::map<OTF2_LocationRef, std::int32_t> rank_of;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const auto rank = static_cast<std::int32_t>(r);
        const auto process = process_of_.find(ranks_[r]);
        if (process == process_of_.end() || !rank_of.emplace(ranks_[r], rank).second) {
            throw InputError(path_ + ": the location " + std::to_string(ranks_[r]) + " of rank " + std::to_string(r) +
                             (process == process_of_.end() ? " is not defined" : " also belongs to another rank"));
        }
        rank_of_process.emplace(process->second, rank);
        locations_.push_back({ranks_[r], rank});
    }
    // Threads other than the main thread of a rank may also call MPI.
    for (const auto& [location, process] : process_of_) {
        const auto rank = rank_of_process.find(process);
        if (rank != rank_of_process.end() && !rank_of.contains(location)) {
            locations_.push_back({location, rank->second});
        }
    }
    std::ranges::stable_sort(locations_, {}, &Location::rank);
}

const std::string* Otf2Archive::mpi_function(OTF2_RegionRef region) const {
    const auto found = regions_.find(region);
    return found == regions_.end() ? nullptr : &mpi_strings_.find(found->second)->second;
}

std::vector<std::int32_t> Otf2Archive::world_ranks(OTF2_GroupRef group) const {
    std::vector<std::int32_t> members;
    const auto found = groups_.find(group);
    if (found == groups_.end()) return members;
    for (const std::uint64_t member : found->second.members) {
        members.push_back(member < ranks_.size() ? static_cast<std::int32_t>(member) : kOutside);
    }
    return members;
}

std::uint32_t Otf2Archive::add(const std::vector<std::int32_t>& members, const std::vector<std::int32_t>& remote) {
    bool is_world = remote.empty() && members.size() == ranks_.size();
    for (std::size_t i = 0; is_world && i < members.size(); ++i) is_world = members[i] == static_cast<std::int32_t>(i);
    return is_world ? 0 : job_->add_communicator(members, remote);
}

std::int32_t Otf2Archive::target(OTF2_RmaWinRef window, std::uint32_t remote, std::int32_t rank) {
    const auto found = windows_.find(window);
    return found == windows_.end() ? kOutside : job_->member(communicator(found->second, rank), remote);
}

std::uint32_t Otf2Archive::communicator(OTF2_CommRef ref, std::int32_t rank) {
    const auto found = comms_.find(ref);
    if (found == comms_.end()) return nobody_;
    Comm& comm = found->second;
    const auto group = groups_.find(comm.group);
    if (!comm.inter && group != groups_.end() && group->second.of_self) {
        const auto [at, is_new] = comm.of_rank.try_emplace(rank, 0);
        if (is_new) at->second = job_->add_communicator({rank});
        return at->second;
    }
    if (!comm.known) {
        comm.known = true;
        const auto members = world_ranks(comm.group);
        const auto remote = comm.inter ? world_ranks(comm.remote) : std::vector<std::int32_t>();
        comm.a = add(members, remote);
        comm.b = comm.inter ? add(remote, members) : comm.a;
        if (comm.inter) {
            for (const std::int32_t member : remote) comm.of_rank.emplace(member, comm.b);
        }
    }
    return comm.inter && comm.of_rank.contains(rank) ? comm.b : comm.a;
}

}  // namespace haichi
