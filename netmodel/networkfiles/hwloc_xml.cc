#include "netmodel/networkfiles/hwloc_xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "netmodel/networkfiles/graph_builder.h"
#include "netmodel/topology/xml_reader.h"

namespace haichi {

namespace {

struct HwlocObject {
    std::string type;
    std::string name;  ///< name of an OSDev ("cuda0"), bus id of a PCI device
    std::string pci_class{};
    std::optional<std::int64_t> link_bandwidth_bytes_per_s{};
    SourcePlace place{};
    std::vector<std::size_t> children{};
};

/// The objects in the order of the file. The first one is the root.
class HwlocReader : public XmlHandler {
  public:
    explicit HwlocReader(const std::string& file) : file_(&file) {}

    void open(const XmlTag& tag) override {
        const std::size_t parent = open_.empty() ? kNone : open_.back();
        open_.push_back(kNone);
        if (open_.size() == 1 && tag.name() != "topology") {
            throw InputError(tag.place(), "expected the root element 'topology', found " + shown(tag.name()));
        }
        if (tag.name() != "object") return;
        HwlocObject object{.type = tag.required("type"), .name = text(tag, "name")};
        object.place = tag.place();
        if (object.name.empty() || object.type == "PCIDev") object.name = text(tag, "pci_busid");
        object.pci_class = text(tag, "pci_type").substr(0, 4);
        object.link_bandwidth_bytes_per_s = pci_bandwidth(text(tag, "pci_link_speed"));
        open_.back() = objects_.size();
        if (parent != kNone) objects_[parent].children.push_back(objects_.size());
        objects_.push_back(std::move(object));
    }
    void close() override { open_.pop_back(); }
    void text(std::string_view /*piece*/) override {}

    [[nodiscard]] const std::vector<HwlocObject>& objects() const {
        if (objects_.empty()) throw InputError(SourcePlace{*file_, 0}, "the topology has no objects");
        return objects_;
    }

  private:
    static constexpr std::size_t kNone = SIZE_MAX;

    static std::string text(const XmlTag& tag, std::string_view name) {
        return std::string(tag.attribute(name).value_or(""));
    }
    /// Parses "15.753846", in GB/s; empty for 0, which means unknown.
    static std::optional<std::int64_t> pci_bandwidth(const std::string& text) {
        double gigabytes = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gigabytes);
        if (text.empty() || error != std::errc{} || !(gigabytes > 0 && gigabytes < 1e6)) return std::nullopt;
        return std::llround(gigabytes * 1e3) * 1'000'000;
    }

    const std::string* file_;
    std::vector<HwlocObject> objects_;
    std::vector<std::size_t> open_;  ///< the object of each open element, or kNone
};

bool is_gpu_device(const std::string& name) {
    for (const std::string_view prefix : {"cuda", "nvml", "rsmi", "ze", "opencl"}) {
        if (name.starts_with(prefix)) return true;
    }
    return false;
}

/// Builds a tree of the objects that are nodes of the machine and the objects above them.
class HwlocTree {
  public:
    HwlocTree(const std::vector<HwlocObject>& objects, const NetworkText& from) : objects_(objects), from_(from) {}

    /// Adds the tree below the object with index `at`. Returns its root, or nothing if it has no nodes. An object with
    /// a single branch becomes no vertex.
    template <class NodeName>
    std::optional<GraphBuilder::Vertex> add(std::size_t at, const NodeName& node_name) {
        const HwlocObject& object = objects_[at];
        const std::string name = node_name(object);
        if (!name.empty()) return graph_.node(name);
        std::vector<std::pair<GraphBuilder::Vertex, std::optional<std::int64_t>>> branches;
        for (const std::size_t child : object.children) {
            const auto below = add(child, node_name);
            if (below) branches.emplace_back(*below, objects_[child].link_bandwidth_bytes_per_s);
        }
        if (branches.empty()) return std::nullopt;
        if (branches.size() == 1) return branches.front().first;
        // hwloc's logical index: objects of a type in the order of the file.
        const std::int64_t index = std::count_if(objects_.begin(), objects_.begin() + static_cast<std::ptrdiff_t>(at),
                                                 [&](const HwlocObject& o) { return o.type == object.type; });
        const GraphBuilder::Vertex here = graph_.network_switch(object.type + " " + std::to_string(index));
        for (const auto& [below, bandwidth] : branches) {
            graph_.connect(below, here, bandwidth ? *bandwidth : from_.assumed_bandwidth());
        }
        return here;
    }

    [[nodiscard]] const GraphBuilder& graph() const { return graph_; }

  private:
    const std::vector<HwlocObject>& objects_;
    const NetworkText& from_;
    GraphBuilder graph_;
};

std::vector<HwlocObject> objects_of(const NetworkText& from) {
    HwlocReader reader(from.file);
    read_xml(from.text, from.file, reader);
    return reader.objects();
}

}  // namespace

bool is_hwloc(std::string_view text) {
    text = text.substr(0, 4096);
    return text.find("<topology") != std::string_view::npos &&
           (text.find("<object") != std::string_view::npos || text.find("hwloc") != std::string_view::npos);
}

Graph read_hwloc(const NetworkText& from) {
    const std::vector<HwlocObject> objects = objects_of(from);
    const bool has_cores = std::ranges::any_of(objects, [](const HwlocObject& o) { return o.type == "Core"; });
    const std::string type = has_cores ? "Core" : "PU";
    std::size_t number = 0;
    HwlocTree tree(objects, from);
    (void)tree.add(0, [&](const HwlocObject& object) {
        return object.type == type ? (has_cores ? "core/" : "pu/") + std::to_string(number++) : std::string();
    });
    return tree.graph().graph(from.file);
}

Graph read_hwloc_gpus(const NetworkText& from) {
    const std::vector<HwlocObject> objects = objects_of(from);
    const auto gpu_name = [&objects](const HwlocObject& object) -> std::string {
        if (object.type != "PCIDev") return {};
        for (const std::size_t child : object.children) {
            const HwlocObject& device = objects[child];
            if (device.type == "OSDev" && is_gpu_device(device.name)) return "gpu/" + device.name;
        }
        // 3D controllers and accelerators; 0300 is also the console's VGA.
        const bool computes = object.pci_class == "0302" || object.pci_class == "0380" || object.pci_class == "1200";
        return computes ? "gpu/" + object.name : std::string();
    };
    HwlocTree tree(objects, from);
    if (!tree.add(0, gpu_name)) {
        throw InputError(SourcePlace{from.file, 0}, "the node has no GPU, or lstopo had no access to it",
                         "use hwloc:FILE for its cores, or export with lstopo --whole-io");
    }
    return tree.graph().graph(from.file);
}

}  // namespace haichi
