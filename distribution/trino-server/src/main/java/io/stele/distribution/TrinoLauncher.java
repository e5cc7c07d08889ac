package io.stele.distribution;

import io.trino.server.Server;

/**
 * The main class of the Trino server of this distribution. Trino publishes its server to Maven
 * Central only in parts, without the module that holds its own main class; this one does the same.
 * Configuration is named by the system property {@code config}, as in any Trino.
 */
public final class TrinoLauncher {
    /** The version the server reports; the root pom imports the same one. */
    private static final String VERSION = "483";

    private TrinoLauncher() {}

    public static void main(String[] arguments) {
        new Server().start(VERSION);
    }
}
