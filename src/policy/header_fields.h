// SPDX-License-Identifier: Apache-2.0
// Header bytes that schemes add to frames: what a scheme declares, and the place that a network gives each field.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/frame_pool.h"

namespace weir {

/// A set of kinds of frames.
class FrameKinds {
 public:
  constexpr FrameKinds() = default;
  template <std::same_as<FrameKind>... Kinds>
  constexpr explicit FrameKinds(Kinds... kinds) : bits_(static_cast<std::uint16_t>((0u | ... | bit(kinds)))) {}
  [[nodiscard]] constexpr bool has(FrameKind kind) const { return (bits_ & bit(kind)) != 0; }
  [[nodiscard]] constexpr bool meets(FrameKinds other) const { return (bits_ & other.bits_) != 0; }
  bool operator==(const FrameKinds&) const = default;

 private:
  static constexpr unsigned bit(FrameKind kind) { return 1u << static_cast<unsigned>(kind); }
  std::uint16_t bits_ = 0;
};

/// One field of a scheme's header bytes. A scheme lists its fields (Scheme::fields) as objects of static storage: a
/// field is known by its address. Schemes that list the same one share it. Control frames of a scheme's own protocol
/// need no field, as nobody else reads them.
struct HeaderField {
  /// How far the bytes go.
  enum class Reach : std::uint8_t {
    hop,         ///< each node writes them anew for its neighbour
    end_to_end,  ///< they reach the host that the frame is for
  };

  std::string_view name;    ///< for messages: "upstream_queue"
  std::uint16_t bytes = 0;  ///< 2 or 4: in the frame's own cache line; a multiple of 4 above: in its extension
  FrameKinds kinds;         ///< the kinds of frames that carry it
  Reach reach = Reach::end_to_end;

  [[nodiscard]] constexpr bool is_inline() const { return bytes <= 4; }
};

/// Where a field of 2 or 4 bytes stands in each frame of the kinds that carry it. Zero where nobody has written it.
template <class T>
requires std::same_as<T, std::uint16_t> || std::same_as<T, std::uint32_t>
class InlineField {
 public:
  InlineField() = default;
  explicit InlineField(std::size_t offset) : offset_(static_cast<std::uint8_t>(offset)) {}
  [[nodiscard]] T read(const Frame& frame) const {
    T value;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(&frame) + offset_, sizeof value);
    return value;
  }
  void write(Frame& frame, T value) const {
    std::memcpy(reinterpret_cast<std::byte*>(&frame) + offset_, &value, sizeof value);
  }

 private:
  std::uint8_t offset_ = sizeof(T) == 2 ? offsetof(Frame, tag) : offsetof(Frame, tag_value);
};

/// Where a longer field stands in the extension of each frame of the kinds that carry it.
class ExtensionPlace {
 public:
  ExtensionPlace() = default;
  ExtensionPlace(std::size_t offset, std::size_t bytes, std::size_t block)
      : offset_(static_cast<std::uint16_t>(offset)),
        bytes_(static_cast<std::uint16_t>(bytes)),
        block_(static_cast<std::uint16_t>(block)) {}

  /// The field's bytes; empty when the frame has no extension, or a shorter one (a frame from the wire may).
  [[nodiscard]] std::span<std::byte> of(const FramePool& frames, const Frame& frame) const {
    const std::span<std::byte> block = frames.extension(frame);
    return block.size() < std::size_t{offset_} + bytes_ ? std::span<std::byte>() : block.subspan(offset_, bytes_);
  }
  /// The same of a frame that is given an extension first where it has none; empty when the pool has none left.
  [[nodiscard]] std::span<std::byte> add(FramePool& frames, Frame& frame) const {
    frames.extend(frame, block_);
    return of(frames, frame);
  }

 private:
  std::uint16_t offset_ = 0;
  std::uint16_t bytes_ = 0;
  std::uint16_t block_ = 0;  // of the extension of the network's frames
};

/// The places of all header fields of a network. Fields whose kinds of frames differ may share a place.
class HeaderLayout {
 public:
  /// What a scheme declares.
  struct Owner {
    std::string_view name;
    std::span<const HeaderField* const> fields;
  };

  /// Of nobody: it has each field where it stands when no other is there. For policies under test.
  HeaderLayout() = default;

  /// Places the fields of all owners, each of whom is there once. The first that fits nowhere: `conflict`.
  explicit HeaderLayout(std::span<const Owner> owners);
  /// Of one owner, for tests.
  explicit HeaderLayout(const Owner& owner) : HeaderLayout(std::span(&owner, 1)) {}

  /// A field that found no place, and whose fields have it.
  struct Conflict {
    std::string_view owner;
    const HeaderField* field = nullptr;
    std::string_view other_owner;
    const HeaderField* other_field = nullptr;
  };
  [[nodiscard]] const std::optional<Conflict>& conflict() const { return conflict_; }

  /// Where this field of as many bytes as T has is. Throws std::logic_error when no owner lists it.
  template <class T>
  [[nodiscard]] InlineField<T> place(const HeaderField& field) const {
    assert(field.bytes == sizeof(T));
    return owned_ ? InlineField<T>(placed_of(field).offset) : InlineField<T>();
  }
  /// Where this longer field is. Throws as place() does.
  [[nodiscard]] ExtensionPlace extension_place(const HeaderField& field) const {
    if (!owned_) return {0, field.bytes, field.bytes};
    return {placed_of(field).offset, field.bytes, extension_bytes_};
  }
  /// Whether this field has a place.
  [[nodiscard]] bool has(const HeaderField& field) const { return find(field) != nullptr; }
  /// The bytes of an extension that has room for all fields; zero: nobody has long ones.
  [[nodiscard]] std::size_t extension_bytes() const { return extension_bytes_; }
  /// Whether a byte of a frame of this kind belongs to no field: by its offset in Frame, or in the extension.
  [[nodiscard]] bool is_free(FrameKind kind, std::size_t offset) const { return is_free(kind, offset, true); }
  [[nodiscard]] bool is_free_in_extension(FrameKind kind, std::size_t offset) const {
    return is_free(kind, offset, false);
  }

 private:
  struct Placed {
    std::string_view owner;
    const HeaderField* field;
    std::uint16_t offset;  // in Frame, or in the extension
  };
  void place_inline(std::string_view owner, const HeaderField& field);
  void place_in_extension(std::string_view owner, const HeaderField& field);
  [[nodiscard]] bool is_free(FrameKind kind, std::size_t offset, bool is_inline) const;
  [[nodiscard]] const Placed* find(const HeaderField& field) const;
  [[nodiscard]] const Placed& placed_of(const HeaderField& field) const;
  /// A field already placed in the same bytes of a kind of frame that both have.
  [[nodiscard]] const Placed* in_the_way(const HeaderField& field, std::size_t offset) const;

  bool owned_ = false;
  std::vector<Placed> placed_;
  std::size_t extension_bytes_ = 0;
  std::optional<Conflict> conflict_;
};

/// The layout of nobody.
inline const HeaderLayout kNoHeaders;

}  // namespace weir
