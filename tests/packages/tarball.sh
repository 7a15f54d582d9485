# The archive, unpacked anywhere.
. /files/common.sh
no_compiler
mkdir -p /opt/tools
tar xzf /files/zeroth-*-Linux-*.tar.gz -C /opt/tools
cd /tmp
quickstart /opt/tools/zeroth-*/bin/zeroth
no_mpi_is_explained /opt/tools/zeroth-*/bin/zeroth
/opt/tools/zeroth-*/bin/zeroth --version
