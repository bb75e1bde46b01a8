# SPDX-License-Identifier: Apache-2.0
# Weir as a library, in this build and installed: weir::core contains switches, NICs and schemes; weir::sim adds the
# simulator. Each is one archive of the objects of its folders, and is separate from the folders' own targets, because
# these carry the project's warnings and include paths, which must not reach a consumer.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(core_folders wire policy schemes switch host net)
set(sim_folders traffic results fabric sim poll config expressions scenario check campaign)

# The headers for consumers are in a folder of their own (cmake/public_headers.cmake).
set(public_headers ${PROJECT_BINARY_DIR}/include)
set(folders units ${core_folders} ${sim_folders})
list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.h")
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/weir/*.h ${folders})
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/public_headers.stamp
  COMMAND ${CMAKE_COMMAND} -DSOURCES=${PROJECT_SOURCE_DIR} -DOUT=${public_headers}
    -P ${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/public_headers.stamp
  DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake
  COMMENT "Writing the public headers"
  VERBATIM)
add_custom_target(weir_headers ALL DEPENDS ${PROJECT_BINARY_DIR}/public_headers.stamp)

# weir::<name> from the given folders. LINKS: what consumers link in addition.
function(weir_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINKS" ${ARGN})
  list(TRANSFORM ARG_FOLDERS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  set(library weir_${name})
  add_library(${library} STATIC ${objects})
  add_library(weir::${name} ALIAS ${library})
  add_dependencies(${library} weir_headers)
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_compile_features(${library} INTERFACE cxx_std_20)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${public_headers}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} ${ARG_LINKS})
  install(TARGETS ${library} EXPORT weir_${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT weir_${name} NAMESPACE weir:: FILE weir_${name}.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
endfunction()

# The libraries that the folders link in CMakeLists.txt, except header-only ones.
weir_library(core FOLDERS ${core_folders} LINKS PRIVATE fmt::fmt)
weir_library(sim FOLDERS ${sim_folders}
  LINKS PUBLIC weir_core PRIVATE fmt::fmt tomlplusplus::tomlplusplus Threads::Threads)

set(package ${PROJECT_BINARY_DIR}/package)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weirConfig.cmake.in ${package}/weirConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${package}/weirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package}/weirConfig.cmake ${package}/weirConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
install(DIRECTORY ${public_headers}/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(TARGETS apps RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
# The pages link to each other by their paths in the repository.
install(FILES README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CITATION.cff LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY src/schemes DESTINATION ${CMAKE_INSTALL_DOCDIR}/src FILES_MATCHING PATTERN "*.md")
