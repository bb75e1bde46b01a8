// SPDX-License-Identifier: Apache-2.0
#include "policy/header_fields.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace weir {
namespace {

// The header bytes for schemes within the frame: two bytes, followed by four.
constexpr std::size_t kInlineBegin = offsetof(Frame, tag);
constexpr std::size_t kInlineEnd = offsetof(Frame, tag_value) + sizeof(Frame::tag_value);
static_assert(kInlineEnd - kInlineBegin == 6 && offsetof(Frame, tag_value) == kInlineBegin + sizeof(Frame::tag));

}  // namespace

HeaderLayout::HeaderLayout(std::span<const Owner> owners) : owned_(true) {
  struct Wanted {
    std::string_view owner;
    const HeaderField* field;
  };
  std::vector<Wanted> wanted;
  for (const Owner& owner : owners) {
    for (const HeaderField* field : owner.fields) {
      const bool is_there =
          std::any_of(wanted.begin(), wanted.end(), [field](const Wanted& w) { return w.field == field; });
      if (!is_there) wanted.push_back({owner.name, field});
    }
  }
  // Only the used part of an extension crosses the wire, so the long fields, which are seldom full, come last.
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wanted& a, const Wanted& b) { return a.field->bytes < b.field->bytes; });
  // The four-byte fields fit in one position only.
  std::stable_partition(wanted.begin(), wanted.end(), [](const Wanted& each) { return each.field->bytes == 4; });
  for (const auto& [owner, field] : wanted) {
    if (field->is_inline()) {
      place_inline(owner, *field);
    } else {
      place_in_extension(owner, *field);
    }
    if (conflict_) return;
  }
  extension_bytes_ = 0;
  for (const Placed& placed : placed_) {
    if (placed.field->is_inline()) continue;
    extension_bytes_ = std::max<std::size_t>(extension_bytes_, placed.offset + placed.field->bytes);
  }
}

void HeaderLayout::place_inline(std::string_view owner, const HeaderField& field) {
  const Placed* other = nullptr;
  for (std::size_t offset = field.bytes == 4 ? offsetof(Frame, tag_value) : kInlineBegin;
       offset + field.bytes <= kInlineEnd; offset += 2) {
    const Placed* taken = in_the_way(field, offset);
    if (taken == nullptr) {
      placed_.push_back({owner, &field, static_cast<std::uint16_t>(offset)});
      return;
    }
    other = taken;
  }
  conflict_ = Conflict{owner, &field, other->owner, other->field};
}

void HeaderLayout::place_in_extension(std::string_view owner, const HeaderField& field) {
  std::size_t offset = 0;
  const Placed* other = nullptr;
  while (const Placed* taken = in_the_way(field, offset)) {
    other = taken;
    offset = std::size_t{taken->offset} + taken->field->bytes;
  }
  if (offset + field.bytes <= FramePool::kShortExtension) {
    placed_.push_back({owner, &field, static_cast<std::uint16_t>(offset)});
  } else {
    conflict_ =
        Conflict{owner, &field, other == nullptr ? owner : other->owner, other == nullptr ? &field : other->field};
  }
}

const HeaderLayout::Placed* HeaderLayout::in_the_way(const HeaderField& field, std::size_t offset) const {
  const auto found = std::find_if(placed_.begin(), placed_.end(), [&](const Placed& placed) {
    const bool apart = offset + field.bytes <= placed.offset || placed.offset + placed.field->bytes <= offset;
    return placed.field->is_inline() == field.is_inline() && placed.field->kinds.meets(field.kinds) && !apart;
  });
  return found == placed_.end() ? nullptr : &*found;
}

const HeaderLayout::Placed* HeaderLayout::find(const HeaderField& field) const {
  const auto found =
      std::find_if(placed_.begin(), placed_.end(), [&](const Placed& placed) { return placed.field == &field; });
  return found == placed_.end() ? nullptr : &*found;
}

const HeaderLayout::Placed& HeaderLayout::placed_of(const HeaderField& field) const {
  const Placed* placed = find(field);
  if (placed == nullptr) throw std::logic_error("no scheme lists the header field " + std::string(field.name));
  return *placed;
}

bool HeaderLayout::is_free(FrameKind kind, std::size_t offset, bool is_inline) const {
  return std::none_of(placed_.begin(), placed_.end(), [&](const Placed& placed) {
    return placed.field->is_inline() == is_inline && placed.field->kinds.has(kind) && placed.offset <= offset &&
           offset < std::size_t{placed.offset} + placed.field->bytes;
  });
}

}  // namespace weir
