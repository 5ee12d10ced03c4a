#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace haichi::otf2_archives {

inline void check(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS) throw std::runtime_error(OTF2_Error_GetDescription(code));
}
inline OTF2_FlushType flush_never(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
inline OTF2_TimeStamp no_time(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

/// Writes an archive as Score-P does. Each rank is a process. Its first thread is the location with the rank's number,
/// and further threads are locations from 1000 on.
class Writer {
  public:
    static constexpr OTF2_CommRef kWorld = 0, kSelf = 1, kReversed = 2, kEven = 3;
    static constexpr OTF2_RmaWinRef kWindow = 0;  ///< its communicator is kReversed

    Writer(const std::string& folder, std::uint32_t ranks, std::uint64_t resolution = 1'000'000)
        : ranks_(ranks), resolution_(resolution) {
        archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        if (archive_ == nullptr) throw std::runtime_error("no archive in " + folder);
        static const OTF2_FlushCallbacks kFlush = {flush_never, no_time};
        check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
        check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
        check(OTF2_Archive_OpenEvtFiles(archive_));
    }

    OTF2_EvtWriter* events(std::uint64_t location) {
        OTF2_EvtWriter*& writer = writers_[location];
        if (writer == nullptr) writer = OTF2_Archive_GetEvtWriter(archive_, location);
        return writer;
    }
    void enter(std::uint64_t location, const std::string& name) {
        check(OTF2_EvtWriter_Enter(events(location), nullptr, ++time_, region(name)));
    }
    void leave(std::uint64_t location, const std::string& name) {
        check(OTF2_EvtWriter_Leave(events(location), nullptr, ++time_, region(name)));
    }
    std::uint64_t tick(std::uint64_t ticks = 1) { return time_ += ticks; }

    void finish() {
        std::map<std::uint64_t, std::uint64_t> counts;
        for (auto& [location, writer] : writers_) {
            check(OTF2_EvtWriter_GetNumberOfEvents(writer, &counts[location]));
            check(OTF2_Archive_CloseEvtWriter(archive_, writer));
        }
        check(OTF2_Archive_CloseEvtFiles(archive_));
        check(OTF2_Archive_OpenDefFiles(archive_));
        for (auto& [location, writer] : writers_) {
            OTF2_DefWriter* const local = OTF2_Archive_GetDefWriter(archive_, location);
            check(OTF2_Archive_CloseDefWriter(archive_, local));
        }
        check(OTF2_Archive_CloseDefFiles(archive_));
        OTF2_GlobalDefWriter* const global = OTF2_Archive_GetGlobalDefWriter(archive_);
        check(OTF2_GlobalDefWriter_WriteClockProperties(global, resolution_, 0, time_ + 1, OTF2_UNDEFINED_TIMESTAMP));
        check(OTF2_GlobalDefWriter_WriteString(global, 0, ""));
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        std::uint32_t string = 1;
        for (const auto& [name, region] : regions_) {
            check(OTF2_GlobalDefWriter_WriteString(global, string, name.c_str()));
            check(OTF2_GlobalDefWriter_WriteRegion(global, region, string, string, 0, OTF2_REGION_ROLE_FUNCTION,
                                                   OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0));
            ++string;
        }
        for (std::uint32_t r = 0; r < ranks_; ++r) {
            check(OTF2_GlobalDefWriter_WriteLocationGroup(global, r, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                          OTF2_UNDEFINED_LOCATION_GROUP));
        }
        for (const auto& [location, count] : counts) {
            const auto process = static_cast<std::uint32_t>(location % 1000);
            check(
                OTF2_GlobalDefWriter_WriteLocation(global, location, 0, OTF2_LOCATION_TYPE_CPU_THREAD, count, process));
        }
        write_groups(global);
        check(OTF2_Archive_CloseGlobalDefWriter(archive_, global));
        check(OTF2_Archive_Close(archive_));
    }

  private:
    OTF2_RegionRef region(const std::string& name) {
        return regions_.try_emplace(name, static_cast<OTF2_RegionRef>(regions_.size())).first->second;
    }
    void write_groups(OTF2_GlobalDefWriter* global) {
        std::vector<std::uint64_t> all, reversed, even;
        for (std::uint32_t r = 0; r < ranks_; ++r) {
            all.push_back(r);
            reversed.push_back(ranks_ - 1 - r);
            if (r % 2 == 0) even.push_back(r);
        }
        const auto group = [&](OTF2_GroupRef id, OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
            check(OTF2_GlobalDefWriter_WriteGroup(global, id, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                  static_cast<std::uint32_t>(members.size()), members.data()));
        };
        group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, all);
        group(1, OTF2_GROUP_TYPE_COMM_GROUP, all);
        group(2, OTF2_GROUP_TYPE_COMM_SELF, {});
        group(3, OTF2_GROUP_TYPE_COMM_GROUP, reversed);
        group(4, OTF2_GROUP_TYPE_COMM_GROUP, even);
        const auto comm = [&](OTF2_CommRef id, OTF2_GroupRef members) {
            check(OTF2_GlobalDefWriter_WriteComm(global, id, 0, members, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        };
        check(OTF2_GlobalDefWriter_WriteRmaWin(global, kWindow, 0, kReversed, OTF2_RMA_WIN_FLAG_NONE));
        comm(kWorld, 1);
        comm(kSelf, 2);
        comm(kReversed, 3);
        comm(kEven, 4);
    }

    std::uint32_t ranks_;
    std::uint64_t resolution_;
    OTF2_Archive* archive_ = nullptr;
    std::uint64_t time_ = 0;
    std::map<std::uint64_t, OTF2_EvtWriter*> writers_;
    std::map<std::string, OTF2_RegionRef> regions_;
};

}  // namespace haichi::otf2_archives
