# Found by find_package(millpond): the target millpond::millpond. Works wherever the folder is moved to.
if(NOT TARGET millpond::millpond)
    get_filename_component(millpond_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
    add_library(millpond::millpond STATIC IMPORTED)
    set_target_properties(millpond::millpond PROPERTIES
        IMPORTED_LOCATION "${millpond_prefix}/lib/libmillpond.a"
        INTERFACE_INCLUDE_DIRECTORIES "${millpond_prefix}/include")
endif()
