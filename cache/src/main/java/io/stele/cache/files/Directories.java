package io.stele.cache.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** File system operations on directories themselves, not on the files in them. Stateless. */
public final class Directories {
    private Directories() {}

    /** Names that were added, changed or taken out are there after a crash of the machine, too. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
