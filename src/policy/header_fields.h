// SPDX-License-Identifier: Apache-2.0
// Header bytes that schemes add to frames: the declaration by a scheme, and the position that a network gives each
// field.
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

/// A set of frame kinds.
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

/// One field of a scheme's header bytes. A scheme lists its fields (Scheme::fields) as objects of static storage,
/// because a field is identified by its address. Schemes that list the same field share it. Control frames of a
/// scheme's own protocol need no field, because no other scheme reads them.
struct HeaderField {
  /// How far the bytes travel.
  enum class Reach : std::uint8_t {
    hop,         ///< each node rewrites them for its neighbour
    end_to_end,  ///< they reach the destination host of the frame
  };

  std::string_view name;    ///< for messages: "upstream_queue"
  std::uint16_t bytes = 0;  ///< 2 or 4: in the frame's own cache line; a larger multiple of 4: in its extension
  FrameKinds kinds;         ///< frame kinds that carry it
  Reach reach = Reach::end_to_end;

  [[nodiscard]] constexpr bool is_inline() const { return bytes <= 4; }
};

/// Position of a field of 2 or 4 bytes in each frame of the kinds that carry it. The bytes are zero until written.
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

/// Position of a longer field in the extension of each frame of the kinds that carry it.
class ExtensionPlace {
 public:
  ExtensionPlace() = default;
  ExtensionPlace(std::size_t offset, std::size_t bytes, std::size_t block)
      : offset_(static_cast<std::uint16_t>(offset)),
        bytes_(static_cast<std::uint16_t>(bytes)),
        block_(static_cast<std::uint16_t>(block)) {}

  /// The field's bytes; empty if the frame has no extension, or a shorter one (as a frame from the wire may).
  [[nodiscard]] std::span<std::byte> of(const FramePool& frames, const Frame& frame) const {
    const std::span<std::byte> block = frames.extension(frame);
    return block.size() < std::size_t{offset_} + bytes_ ? std::span<std::byte>() : block.subspan(offset_, bytes_);
  }
  /// As of(), but gives the frame an extension if it has none; empty if the pool has none left.
  [[nodiscard]] std::span<std::byte> add(FramePool& frames, Frame& frame) const {
    frames.extend(frame, block_);
    return of(frames, frame);
  }

 private:
  std::uint16_t offset_ = 0;
  std::uint16_t bytes_ = 0;
  std::uint16_t block_ = 0;  // offset in the extension of the network's frames
};

/// The positions of all header fields of a network. Fields without common frame kinds may share a position.
class HeaderLayout {
 public:
  /// The declaration of one scheme.
  struct Owner {
    std::string_view name;
    std::span<const HeaderField* const> fields;
  };

  /// Without owners: each field is at the position it has if there is no other. For policies under test.
  HeaderLayout() = default;

  /// Assigns positions to the fields of all owners; each owner occurs once. The first field that does not fit:
  /// `conflict`.
  explicit HeaderLayout(std::span<const Owner> owners);
  /// With one owner, for tests.
  explicit HeaderLayout(const Owner& owner) : HeaderLayout(std::span(&owner, 1)) {}

  /// A field for which there is no free position, and the owners of the fields that occupy it.
  struct Conflict {
    std::string_view owner;
    const HeaderField* field = nullptr;
    std::string_view other_owner;
    const HeaderField* other_field = nullptr;
  };
  [[nodiscard]] const std::optional<Conflict>& conflict() const { return conflict_; }

  /// Position of this field of as many bytes as T has. Throws std::logic_error if no owner lists it.
  template <class T>
  [[nodiscard]] InlineField<T> place(const HeaderField& field) const {
    assert(field.bytes == sizeof(T));
    return owned_ ? InlineField<T>(placed_of(field).offset) : InlineField<T>();
  }
  /// Position of this longer field. Throws as place() does.
  [[nodiscard]] ExtensionPlace extension_place(const HeaderField& field) const {
    if (!owned_) return {0, field.bytes, field.bytes};
    return {placed_of(field).offset, field.bytes, extension_bytes_};
  }
  /// Whether this field has a position.
  [[nodiscard]] bool has(const HeaderField& field) const { return find(field) != nullptr; }
  /// Size of an extension that contains all fields; zero: there are no long fields.
  [[nodiscard]] std::size_t extension_bytes() const { return extension_bytes_; }
  /// Whether a byte of a frame of this kind, given by its offset in Frame or in the extension, belongs to no field.
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
  /// A field already placed in the same bytes of a frame kind that carries both.
  [[nodiscard]] const Placed* in_the_way(const HeaderField& field, std::size_t offset) const;

  bool owned_ = false;
  std::vector<Placed> placed_;
  std::size_t extension_bytes_ = 0;
  std::optional<Conflict> conflict_;
};

/// The layout without fields.
inline const HeaderLayout kNoHeaders;

}  // namespace weir
