package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.airlift.units.DataSize;
import io.stele.cache.page.segment.LocalCacheFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The rules for caches without configured directories: their share of the disk, their folders, and
 * the deletion of abandoned pages at a start.
 *
 * <p>The share of a folder is a quarter of the free bytes on its file system plus the folder's own,
 * so that it stays about the same from start to start. It is at most {@link #MAX_BYTES}, and at
 * most the size that a fiftieth of the heap can index. If that is less than {@link #MIN_BYTES},
 * there is no cache. It is determined once, when the cache is opened.
 */
public final class DefaultCache {
    /**
     * A system property of the process: its data directory. Trino's launcher takes it from
     * node.properties.
     */
    public static final String DATA_DIRECTORY = "node.data-dir";

    /** Four caches on one disk, each a quarter of what is left, leave a third of it free. */
    private static final int PART = 4;

    /** Two thousand open files; larger caches are configured. */
    static final long MAX_BYTES = 512L << 30;

    /** Less is worth no disk that is nearly full. */
    static final long MIN_BYTES = 1L << 30;

    private static final int PART_OF_HEAP = 50;

    /** A catalog that is used at all has been used by then, and what is lost is a cache. */
    public static final Duration ABANDONED = Duration.ofDays(30);

    /** The names of the folders that {@link #openFirstFree} creates. */
    private static final Pattern PAGES_FOLDER = Pattern.compile("pages(-\\d)?");

    /**
     * Heap of the index for each full page that fits in the cache. The index of a small cache may
     * have more entries, and 8 MB.
     */
    private static final int HEAP_BYTES_PER_PAGE = 58;

    /** Processes of one host that share a folder by mistake, or nodes that are tried out. */
    private static final int MAX_FOLDERS = 8;

    private static final Set<PosixFilePermission> OWNER_ALONE =
            PosixFilePermissions.fromString("rwx------");

    private DefaultCache() {}

    /**
     * The limit of a folder in bytes by the rule above; 0: no cache.
     *
     * @param freeBytes free on the folder's file system for this process
     * @param heldBytes of the files in the folder
     * @param heapBytes the greatest heap of the process
     */
    static long maxBytes(long freeBytes, long heldBytes, long heapBytes, int pageBytes) {
        long ofDisk = shareOfDisk(freeBytes, heldBytes);
        long indexed = heapBytes / PART_OF_HEAP / HEAP_BYTES_PER_PAGE * pageBytes;
        long bytes = Math.min(MAX_BYTES, Math.min(ofDisk, indexed));
        return bytes < MIN_BYTES ? 0 : bytes;
    }

    /**
     * The limit in bytes of a folder that exists, by the rule above.
     *
     * @throws IOException if it is less than {@link #MIN_BYTES}, saying what was found
     */
    static long maxBytes(Path folder, int pageBytes) throws IOException {
        long free = Files.getFileStore(folder).getUsableSpace();
        long held = heldBytes(folder);
        long heap = Runtime.getRuntime().maxMemory();
        long bytes = maxBytes(free, held, heap, pageBytes);
        if (bytes == 0) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "expected at least %s as a quarter of the disk's free space and by a heap large enough for its index, found %s free on the disk of %s and a heap of %s",
                            DataSize.succinctBytes(MIN_BYTES),
                            DataSize.succinctBytes(free + held),
                            folder,
                            DataSize.succinctBytes(heap)));
        }
        return bytes;
    }

    /**
     * A quarter of the sum of the free bytes on a folder's file system and the bytes in the folder.
     *
     * @throws IOException if it cannot be read
     */
    public static long shareOfDisk(Path folder) throws IOException {
        return shareOfDisk(Files.getFileStore(folder).getUsableSpace(), heldBytes(folder));
    }

    private static long shareOfDisk(long freeBytes, long heldBytes) {
        return (freeBytes + heldBytes) / PART;
    }

    private static long heldBytes(Path folder) throws IOException {
        long sum = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                sum += Files.size(file);
            }
        }
        return sum;
    }

    /**
     * Creates a default folder that only the user of this process can access, if the file system
     * has users: its content may be secret, and the access rules of its store do not apply here. An
     * existing folder stays as it is, and folders above are created as usual.
     *
     * @throws IOException if it cannot be created
     */
    public static void createFolder(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath();
        if (absolute.getParent() != null) {
            Files.createDirectories(absolute.getParent());
        }
        boolean isPosix = absolute.getFileSystem().supportedFileAttributeViews().contains("posix");
        if (isPosix) {
            Files.createDirectories(absolute, PosixFilePermissions.asFileAttribute(OWNER_ALONE));
        } else {
            Files.createDirectories(absolute);
        }
    }

    /**
     * Empties folders of pages that are not in use, and in which nothing has been written for
     * {@link #ABANDONED}: those of dropped catalogs, and of processes that did not return. A folder
     * and its lock stay, so that a returning owner finds the same lock. Other files stay, and
     * failures are ignored. Blocks for the disk.
     *
     * <p>A folder is locked while it is emptied: call it when the node's catalogs have opened
     * theirs.
     *
     * @param folders of caches, in which there are folders of pages
     * @return the folders that were emptied
     */
    public static List<Path> emptyAbandoned(List<Path> folders, Instant now) {
        List<Path> emptied = new ArrayList<>();
        for (Path folder : folders) {
            for (Path pages : list(folder)) {
                if (PAGES_FOLDER.matcher(pages.getFileName().toString()).matches()
                        && emptyIfAbandoned(
                                pages, now.minus(ABANDONED), LocalCacheFiles::tryOpen)) {
                    emptied.add(pages);
                }
            }
        }
        return emptied;
    }

    /**
     * Checks before it locks, so that it never blocks the owner of a folder in use, and again
     * afterwards, because the folder may have been used in between.
     */
    static boolean emptyIfAbandoned(Path pages, Instant before, Opener<LocalCacheFiles> opener) {
        try {
            if (abandonedFiles(pages, before).isEmpty()) {
                return false;
            }
            Optional<LocalCacheFiles> mine = opener.open(pages);
            if (mine.isEmpty()) {
                return false;
            }
            try (LocalCacheFiles open = mine.get()) {
                List<Path> files = abandonedFiles(pages, before);
                for (Path file : files) {
                    open.delete(file.getFileName().toString());
                }
                return !files.isEmpty();
            }
        } catch (IOException e) {
            return false; // the next start tries again
        }
    }

    /** The files of a cache; empty if one of them was written since {@code before}. */
    private static List<Path> abandonedFiles(Path pages, Instant before) throws IOException {
        List<Path> files =
                list(pages).stream()
                        .filter(file -> LocalCacheFiles.isCacheFile(file.getFileName().toString()))
                        .toList();
        for (Path file : files) {
            if (!Files.getLastModifiedTime(file).toInstant().isBefore(before)) {
                return List.of();
            }
        }
        return files;
    }

    private static List<Path> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Opens one of several folders. */
    @FunctionalInterface
    interface Opener<T> {
        /** Opens a folder; empty if another process uses it. */
        Optional<T> open(Path folder) throws IOException;
    }

    /** A folder that was opened, with the result of its {@link Opener}. */
    record Opened<T>(Path folder, T files) {
        Opened {
            requireNonNull(folder, "folder is null");
            requireNonNull(files, "files is null");
        }
    }

    /**
     * Opens the folder, or the first of {@code folder-2}, {@code folder-3}, ... that no other
     * process uses. So each process has a folder of its own, and finds one again after a restart.
     *
     * @throws IOException if the folder cannot be used, or all folders are in use
     */
    static <T> Opened<T> openFirstFree(Path folder, Opener<T> opener) throws IOException {
        for (int number = 1; number <= MAX_FOLDERS; number++) {
            Path candidate =
                    number == 1
                            ? folder
                            : folder.resolveSibling(folder.getFileName() + "-" + number);
            Optional<T> opened = opener.open(candidate);
            if (opened.isPresent()) {
                return new Opened<>(candidate, opened.get());
            }
        }
        throw new IOException(
                String.format(
                        Locale.ROOT,
                        "expected one of %d folders %s, %s-2, ... for this process alone, found all of them in use",
                        MAX_FOLDERS,
                        folder,
                        folder.getFileName()));
    }
}
