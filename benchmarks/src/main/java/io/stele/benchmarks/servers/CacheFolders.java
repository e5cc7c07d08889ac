package io.stele.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The folders in which the servers of a run cache on disk what they have read of the warehouse. */
final class CacheFolders {
    private CacheFolders() {}

    /** Of the sidecar by default: beside its log. */
    static Path ofSidecar(Run run) {
        Path log = run.path("sidecar.wal");
        return log.resolveSibling(log.getFileName() + "-cache");
    }

    /** Of Stele's catalogs by default: in the data directory of Trino's node. */
    static Path ofStele(Run run) {
        return run.path("state").resolve("trino").resolve("stele-cache");
    }

    /** Of Iceberg's catalogs, a folder each. */
    static Path ofIceberg(Run run) {
        return run.path("state").resolve("pages");
    }

    /** Deletes the files in a folder, which may be missing; no server may use it. */
    static void empty(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
