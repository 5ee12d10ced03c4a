#include "base/table.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace haichi {
namespace {

struct Shape {
    std::string_view name;
    std::string_view sentence;
    int corners = 0;
};

const Table<Shape>& shapes() {
    static const Table<Shape> kShapes(
        {"shape", "shapes"}, {{"triangle", "three corners", 3}, {"square", "four of them", 4}, {"dot", "none"}});
    return kShapes;
}

TEST(Table, finds_a_row_by_its_name) {
    EXPECT_EQ(shapes().at("square").corners, 4);
    ASSERT_NE(shapes().find("dot"), nullptr);
    EXPECT_EQ(shapes().find("dot")->corners, 0);
    EXPECT_EQ(shapes().find("circle"), nullptr);
    EXPECT_EQ(shapes().find(""), nullptr);
}

TEST(Table, lists_its_rows_in_their_order) {
    EXPECT_EQ(shapes().listing(), "triangle, square, dot");
    EXPECT_EQ(shapes().names(), (std::vector<std::string>{"triangle", "square", "dot"}));
    EXPECT_EQ(shapes().size(), 3u);
    EXPECT_EQ(shapes()[1].name, "square");
    int corners = 0;
    for (const Shape& shape : shapes()) corners += shape.corners;
    EXPECT_EQ(corners, 7);
}

std::string refusal(std::string_view name) {
    try {
        (void)shapes().at(name);
    } catch (const OptionError& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "";
}

TEST(Table, names_the_nearest_row_or_all_of_them) {
    EXPECT_EQ(refusal("sqare"), "unknown shape 'sqare' | did you mean 'square'?");
    EXPECT_EQ(refusal("pentagon"), "unknown shape 'pentagon' | shapes are triangle, square, dot");
}

TEST(Table, refuses_two_rows_of_one_name) {
    const auto twice = [] { return Table<Shape>({"shape", "shapes"}, {{"dot", "a"}, {"square", "b"}, {"dot", "c"}}); };
    EXPECT_THROW((void)twice(), InternalError);
}

}  // namespace
}  // namespace haichi
