package io.stele.cache.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * File system operations on directories: their content, and the sync that makes new, renamed and
 * deleted names durable. Stateless.
 */
public final class Directories {
    private Directories() {}

    /** Makes the names added, changed and removed so far durable against a crash of the machine. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * The files and directories directly in a directory, in no order.
     *
     * @throws IOException also if reading fails in the middle, which the streams of {@link Files}
     *     throw unchecked
     */
    public static List<Path> list(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
            children.forEach(found::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }
}
