# Run by `cmake --install`: the files that name places, for the prefix that is installed to.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(CONFIG_DIR /etc/rookery)
  set(unit_dir /lib/systemd/system)
else()
  set(CONFIG_DIR ${CMAKE_INSTALL_PREFIX}/etc/rookery)
  set(unit_dir ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
endif()
set(BIN_DIR ${CMAKE_INSTALL_PREFIX}/bin)
set(DOC_DIR ${CMAKE_INSTALL_PREFIX}/share/doc/rookery)
set(AT "@")
set(unit $ENV{DESTDIR}${unit_dir}/rookery.service)
configure_file(${PACKAGING_DIR}/rookery.service.in ${unit} @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
message(STATUS "Installed: ${unit}")

# The administrator's file stays as it is.
set(settings $ENV{DESTDIR}${CONFIG_DIR}/settings.json)
if(EXISTS ${settings})
  message(STATUS "Kept as it is: ${settings}")
else()
  file(INSTALL ${PACKAGING_DIR}/settings.json DESTINATION ${CONFIG_DIR}
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endif()
