package io.stele.sidecar.process;

/** The version of this software, from the manifest of its jar. */
public final class Version {
    private Version() {}

    /** For example {@code 0.1.0}; {@code unknown} when run from class files. */
    public static String current() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }
}
