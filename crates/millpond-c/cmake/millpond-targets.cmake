# The targets of the library in millpond_prefix, with the headers in millpond_include. MinGW links what other compilers of Windows cannot: they take the DLL.
add_library(millpond::shared SHARED IMPORTED GLOBAL)
if(WIN32)
    set_target_properties(millpond::shared PROPERTIES
        IMPORTED_LOCATION "${millpond_dll}"
        IMPORTED_IMPLIB "${millpond_prefix}/lib/millpond.lib"
        INTERFACE_COMPILE_DEFINITIONS MILLPOND_DLL)
else()
    set_target_properties(millpond::shared PROPERTIES IMPORTED_LOCATION "${millpond_prefix}/lib/libmillpond.so.0.1")
endif()
set_target_properties(millpond::shared PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${millpond_include}")

if(WIN32 AND NOT MINGW)
    add_library(millpond::millpond ALIAS millpond::shared)
else()
    add_library(millpond::millpond STATIC IMPORTED GLOBAL)
    set_target_properties(millpond::millpond PROPERTIES
        IMPORTED_LOCATION "${millpond_prefix}/lib/libmillpond.a"
        INTERFACE_INCLUDE_DIRECTORIES "${millpond_include}")
endif()
