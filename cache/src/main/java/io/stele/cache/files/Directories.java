package io.stele.cache.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * File system operations on directories: the sync that makes new, renamed and deleted names
 * durable. Stateless.
 */
public final class Directories {
    private Directories() {}

    /** Makes the names added, changed and removed so far durable against a crash of the machine. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
