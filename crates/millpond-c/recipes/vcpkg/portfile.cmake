# An overlay port: vcpkg install millpond --overlay-ports=FOLDER. The archive has the library and its CMake package.
vcpkg_download_distfile(archive
    URLS "@RELEASES@/@ARCHIVE@"
    FILENAME "@ARCHIVE@"
    SHA512 @SHA512@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
set(VCPKG_BUILD_TYPE release)
file(INSTALL "${source}/include/" DESTINATION "${CURRENT_PACKAGES_DIR}/include")
file(INSTALL "${source}/lib/libmillpond.a" DESTINATION "${CURRENT_PACKAGES_DIR}/lib")
file(INSTALL "${source}/lib/pkgconfig/millpond.pc" DESTINATION "${CURRENT_PACKAGES_DIR}/lib/pkgconfig")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE-MIT" "${source}/LICENSE-APACHE")
# The package finds what it needs from its own place, which is share/millpond here.
file(READ "${source}/lib/cmake/millpond/millpond-config.cmake" package)
string(REPLACE "/../../.." "/../.." package "${package}")
file(WRITE "${CURRENT_PACKAGES_DIR}/share/millpond/millpond-config.cmake" "${package}")
file(INSTALL "${source}/lib/cmake/millpond/millpond-targets.cmake"
    "${source}/lib/cmake/millpond/millpond-config-version.cmake" DESTINATION "${CURRENT_PACKAGES_DIR}/share/millpond")
