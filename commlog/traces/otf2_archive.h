#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "commlog/traces/traced_job.h"

namespace haichi {

/// An open OTF2 archive and its definitions. Errors of the library become InputError instead of printed messages.
class Otf2Archive {
  public:
    /// The library allocates as much memory as the counts in the archive's anchor file state. `kLimited` limits the
    /// address space during this time; it is for a process that does nothing else.
    enum class Opening : std::uint8_t { kFree, kLimited };

    /// Adds the archive's communicators to `job`. Throws InputError if the archive cannot be read.
    Otf2Archive(const std::string& path, TracedJob* job, Opening opening);
    ~Otf2Archive();
    Otf2Archive(const Otf2Archive&) = delete;
    Otf2Archive& operator=(const Otf2Archive&) = delete;

    struct Location {
        OTF2_LocationRef id = 0;
        std::int32_t rank = 0;
    };
    /// Returns the locations, sorted by rank. The first location of each rank is the one with the earliest MPI call.
    [[nodiscard]] const std::vector<Location>& locations() const { return locations_; }
    [[nodiscard]] std::int32_t rank_count() const { return static_cast<std::int32_t>(ranks_.size()); }
    [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }
    [[nodiscard]] OTF2_Reader* reader() const { return reader_.get(); }

    /// Returns the name of the MPI function that a region represents, or null for other regions.
    [[nodiscard]] const std::string* mpi_function(OTF2_RegionRef region) const;
    /// Returns the index in JobLog::communicators. An intercommunicator has an index for each side, and `rank` selects
    /// the side. For an undefined reference, it is a communicator without members.
    [[nodiscard]] std::uint32_t communicator(OTF2_CommRef comm, std::int32_t rank);

    /// Converts the target `remote` of a one-sided operation to a rank in MPI_COMM_WORLD, or to kOutside.
    [[nodiscard]] std::int32_t target(OTF2_RmaWinRef window, std::uint32_t remote, std::int32_t rank);

    /// Throws InputError with the library's last message unless `code` is a success.
    void check(OTF2_ErrorCode code, const std::string& doing) const;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    struct CloseReader {
        void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
    };
    struct Group {
        bool of_self = false;
        std::vector<std::uint64_t> members;  ///< ranks, as indices in the list of locations
    };
    struct Comm {
        OTF2_GroupRef group = 0, remote = 0;
        bool inter = false;
        bool known = false;  ///< true if `a` is set
        std::uint32_t a = 0, b = 0;
        /// By rank, for a group that contains only the rank itself.
        std::unordered_map<std::int32_t, std::uint32_t> of_rank;
    };
    class Definitions;

    void read_definitions();
    void assign_locations();
    std::vector<std::int32_t> world_ranks(OTF2_GroupRef group) const;
    std::uint32_t add(const std::vector<std::int32_t>& members, const std::vector<std::int32_t>& remote);

    std::string path_;
    TracedJob* job_;
    OTF2_ErrorCallback former_callback_;
    std::unique_ptr<OTF2_Reader, CloseReader> reader_;
    double ticks_per_second_ = 1e9;
    std::vector<OTF2_LocationRef> ranks_;  ///< location of each rank
    std::vector<Location> locations_;
    std::unordered_map<OTF2_StringRef, std::string> mpi_strings_;
    std::unordered_map<OTF2_RegionRef, OTF2_StringRef> regions_;
    std::map<OTF2_LocationRef, OTF2_LocationGroupRef> process_of_;
    std::unordered_map<OTF2_GroupRef, Group> groups_;
    std::unordered_map<OTF2_CommRef, Comm> comms_;
    std::unordered_map<OTF2_RmaWinRef, OTF2_CommRef> windows_;
    std::uint32_t nobody_ = 0;
};

}  // namespace haichi
