# libulnet, the embedding library (ulnet/node.hpp and ulnet/lnet.h); libulnetconfig, the DLC library
# (ulnet/lnetconfig.h); and the files of an installation. Only the public interface of libulnet is
# visible (cmake/ulnet.map). tests/embedding builds the examples against an installed copy.

add_library(ulnet SHARED $<TARGET_OBJECTS:ulnet_lnet_node_capi>)
target_link_libraries(ulnet PRIVATE ulnet_lnet_node_capi)
target_include_directories(ulnet INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_features(ulnet INTERFACE cxx_std_20)
target_link_options(ulnet PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/ulnet.map -Wl,--no-undefined)
set_target_properties(ulnet PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS
  ${PROJECT_SOURCE_DIR}/cmake/ulnet.map)
if(ULNET_SANITIZE)
  # The program that uses the library resolves the symbols of the sanitizers' run time.
  set_property(TARGET ulnet PROPERTY LINK_OPTIONS -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/ulnet.map)
endif()

# libulnetconfig: the DLC library (ulnet/lnetconfig.h), which talks to a running ulnetd and has no
# node of its own.
add_library(ulnetconfig SHARED $<TARGET_OBJECTS:ulnet_admin_dlc>)
target_link_libraries(ulnetconfig PRIVATE ulnet_admin_dlc)
target_include_directories(ulnetconfig INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_options(ulnetconfig PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/ulnetconfig.map)
if(NOT ULNET_SANITIZE)
  target_link_options(ulnetconfig PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(ulnetconfig PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS
  ${PROJECT_SOURCE_DIR}/cmake/ulnetconfig.map)

include(CMakePackageConfigHelpers)
# The paths in the .pc files are relative, so that the installed copy may be moved.
file(RELATIVE_PATH ULNET_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix/)
configure_file(cmake/ulnet.pc.in ulnet.pc @ONLY)
configure_file(cmake/ulnetconfig.pc.in ulnetconfig.pc @ONLY)
configure_package_config_file(cmake/ulnetConfig.cmake.in ulnetConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ulnet)
write_basic_package_version_file(ulnetConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS ulnet ulnetconfig EXPORT ulnetTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT embedding)
install(EXPORT ulnetTargets NAMESPACE ulnet:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ulnet COMPONENT embedding)
install(DIRECTORY include/ulnet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT embedding)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ulnet.pc ${CMAKE_CURRENT_BINARY_DIR}/ulnetconfig.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT embedding)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ulnetConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ulnetConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ulnet COMPONENT embedding)
