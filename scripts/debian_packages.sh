# Functions for scripts that unpack packages of another Debian release or architecture. They install nothing and do not
# require root.

# debian_archive DIRECTORY ARCH SUITE... sets up a private apt in DIRECTORY for these suites. It uses this machine's
# Debian mirror.
debian_archive() {
    local folder=$1 architecture=$2 mirror suite
    shift 2
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null |
        head -n 1) || true
    mkdir -p "$folder"/state/lists/partial "$folder"/cache/archives/partial
    : >"$folder/state/status"
    for suite in "$@"; do
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $suite main"
    done >"$folder/sources.list"
    cat >"$folder/apt.conf" <<END
Dir::State "$folder/state";
Dir::State::status "$folder/state/status";
Dir::Cache "$folder/cache";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "-";
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Debug::NoLocking "true";
END
    APT_CONFIG=$folder/apt.conf apt-get -qq update
}

# unpack_packages DIRECTORY SYSROOT PACKAGE[/SUITE]... unpacks packages with the private apt in DIRECTORY. Packages that
# they depend on are not unpacked.
unpack_packages() {
    local folder=$1 sysroot=$2 package
    shift 2
    rm -rf "$folder/packages"
    mkdir -p "$folder/packages" "$sysroot"
    (cd "$folder/packages" && APT_CONFIG=$folder/apt.conf apt-get -qq download "$@")
    for package in "$folder"/packages/*.deb; do
        dpkg-deb -x "$package" "$sysroot"
    done
    rm -rf "$folder/packages"
}

# unpack_with_dependencies DIRECTORY SYSROOT PACKAGE... unpacks packages together with all packages that they depend on.
unpack_with_dependencies() {
    local folder=$1 sysroot=$2 package
    shift 2
    APT_CONFIG=$folder/apt.conf apt-get -qq install --yes --download-only "$@"
    mkdir -p "$sysroot"
    for package in "$folder"/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$sysroot"
    done
}
