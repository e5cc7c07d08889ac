package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.stele.cache.files.Directories;
import io.stele.cache.files.OpenFiles;
import io.stele.cache.files.Transfers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An object store in a directory of a local file system with hard links; several processes of one
 * machine may share it. All usual file systems of Linux have hard links. New objects are written in
 * {@code .tmp}, or in a lake beside their final name, synced, then linked to the final name. So
 * they appear at once and only once. The directory is synced before the call returns.
 *
 * <p>Safe for use by many threads.
 */
public final class LocalObjectStore implements FolderStore {
    private static final String TEMPORARY_DIRECTORY = ".tmp";
    private static final String SWAP_LOCK = "swap.lock";
    private static final Object SWAPS = new Object();

    /** Far below the usual limit of 1,024 open files a process; few files get most reads. */
    private static final int OPEN_FILES = 128;

    private final Path root;
    private final PathRule rule;
    private final TemporaryFilePlacement temporaries;
    private final @Nullable OpenFiles openFiles;
    private final LocalFolders folders;

    /** Opens a directory, creating it if it does not exist. */
    public LocalObjectStore(Path root) throws IOException {
        this(root, OptionalInt.empty());
    }

    /**
     * A store that keeps files open after partial reads. Only for the process that deletes objects,
     * because the disk retains a deleted file while any process has it open.
     */
    public static LocalObjectStore forOwner(Path root) throws IOException {
        return new LocalObjectStore(root, OptionalInt.of(OPEN_FILES));
    }

    /**
     * A store over files that other programs write, too, under any names; {@code /} is a root like
     * any other. Opening it and reading from it change nothing; it does not support
     * compare-and-swap.
     */
    public static LocalObjectStore ofLake(Path root) {
        return new LocalObjectStore(
                root.toAbsolutePath().normalize(),
                PathRule.ANY,
                new TemporaryFilePlacement.BesideTarget(),
                null);
    }

    LocalObjectStore(Path root, OptionalInt maxOpenFiles) throws IOException {
        this(
                requireNonNull(root, "root is null").toAbsolutePath().normalize(),
                PathRule.STELE,
                new TemporaryFilePlacement.OwnFolder(
                        root.toAbsolutePath().normalize().resolve(TEMPORARY_DIRECTORY)),
                maxOpenFiles.isPresent() ? new OpenFiles(maxOpenFiles.getAsInt()) : null);
        folders.create(temporaries.folder().orElseThrow());
    }

    private LocalObjectStore(
            Path root,
            PathRule rule,
            TemporaryFilePlacement temporaries,
            @Nullable OpenFiles openFiles) {
        this.root = requireNonNull(root, "root is null");
        this.rule = requireNonNull(rule, "rule is null");
        this.temporaries = requireNonNull(temporaries, "temporaries is null");
        this.openFiles = openFiles;
        this.folders = new LocalFolders(root);
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        NonBlocking.check();
        Path file = file(path);
        ReadAccount.Request request = ReadAccount.request();
        long read = 0;
        try {
            read(file, offset, ByteBuffer.wrap(buffer, bufferOffset, length));
            read = length;
        } finally {
            request.ended(read);
        }
    }

    private void read(Path file, long offset, ByteBuffer target) throws IOException {
        if (openFiles != null) {
            openFiles.read(file, channel -> Transfers.readFully(channel, offset, target, file));
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Transfers.readFully(channel, offset, target, file);
        }
    }

    private void forget(Path changed) {
        if (openFiles != null) {
            openFiles.forget(changed);
        }
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        NonBlocking.check();
        ReadAccount.Request request = ReadAccount.request();
        long read = 0;
        try {
            byte[] content = readAll(path);
            read = content.length;
            return content;
        } finally {
            request.ended(read);
        }
    }

    private byte[] readAll(String path) throws IOException {
        Path file = file(path);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size > Integer.MAX_VALUE - 16) {
                throw new IOException(
                        String.format(
                                Locale.ROOT,
                                "Expected an object that fits an array, found %d bytes in %s",
                                size,
                                describe(path)));
            }
            byte[] content = new byte[(int) size];
            Transfers.readFully(channel, 0, ByteBuffer.wrap(content), file);
            return content;
        }
    }

    @Override
    public long size(String path) throws IOException {
        return Files.size(file(path));
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        Path target = file(path);
        if (Files.exists(target)) {
            Directories.sync(parent(target));
            return false;
        }
        Path written = writeTemporary(target, content);
        try {
            link(target, written);
            return true;
        } catch (FileAlreadyExistsException e) {
            Directories.sync(parent(target));
            return false;
        } finally {
            Files.deleteIfExists(written);
        }
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        Path target = file(path);
        Path written = writeTemporary(target, content);
        try {
            folders.create(parent(target));
            Files.move(
                    written,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            forget(target);
            Directories.sync(parent(target));
        } finally {
            Files.deleteIfExists(written);
        }
    }

    @Override
    public boolean supportsCompareAndSwap() {
        return temporaries.folder().isPresent();
    }

    /** Holds a lock on a file, which also excludes other processes. */
    @Override
    public boolean compareAndSwap(String path, byte[] expected, byte[] content) throws IOException {
        if (!supportsCompareAndSwap()) {
            return FolderStore.super.compareAndSwap(path, expected, content); // with the reason
        }
        Path target = file(path);
        Path lock = temporaries.folder().orElseThrow().resolve(SWAP_LOCK);
        // A process can lock a file only once, so its threads take turns
        synchronized (SWAPS) {
            try (FileChannel channel =
                            FileChannel.open(
                                    lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = channel.lock()) {
                if (!Files.exists(target) || !Arrays.equals(readFully(path), expected)) {
                    return false;
                }
                put(path, content);
                return true;
            }
        }
    }

    private Path writeTemporary(Path target, byte[] content) throws IOException {
        Path file = newTemporary(target);
        boolean done = false;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer source = ByteBuffer.wrap(content);
            while (source.hasRemaining()) {
                channel.write(source);
            }
            channel.force(true);
            done = true;
            return file;
        } finally {
            if (!done) {
                Files.deleteIfExists(file);
            }
        }
    }

    private Path newTemporary(Path target) throws IOException {
        if (temporaries.needsTarget()) {
            folders.create(parent(target));
        }
        return temporaries.create(parent(target));
    }

    private void link(Path target, Path written) throws IOException {
        folders.create(parent(target));
        Files.createLink(target, written);
        Directories.sync(parent(target));
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        Path target = file(path);
        Path written = newTemporary(target);
        return new LocalObjectWriter(
                FileChannel.open(written, StandardOpenOption.WRITE),
                describe(path),
                new LocalObjectWriter.Ending() {
                    @Override
                    public void publish() throws IOException {
                        link(target, written);
                    }

                    @Override
                    public void discard() throws IOException {
                        Files.deleteIfExists(written);
                    }
                });
    }

    @Override
    public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
        rule.checkPrefix(prefix);
        Path start = root.resolve(prefix.substring(0, prefix.lastIndexOf('/') + 1));
        if (Files.isDirectory(start)) {
            Files.walkFileTree(start, new Lister(prefix, action));
        }
    }

    @Override
    public List<String> folders(String folder) throws IOException {
        return listLevel(folder).folders();
    }

    @Override
    public void delete(String path) throws IOException {
        Path file = file(path);
        Files.deleteIfExists(file);
        forget(file);
    }

    @Override
    public int deleteAbandoned(Instant limit) throws IOException {
        int count = 0;
        if (temporaries.folder().isEmpty()) {
            return 0; // others may be writing
        }
        for (Path file : Directories.list(temporaries.folder().get())) {
            if (!file.endsWith(SWAP_LOCK)
                    && Files.getLastModifiedTime(file).toInstant().isBefore(limit)
                    && Files.deleteIfExists(file)) {
                count++;
            }
        }
        return count;
    }

    @Override
    public String describe(String path) {
        return root.resolve(path).toString();
    }

    private Path file(String path) {
        return root.resolve(rule.check(path));
    }

    private static Path parent(Path file) {
        return requireNonNull(file.getParent(), "file has no parent");
    }

    @Override
    public Optional<ObjectEntry> find(String path) throws IOException {
        return folders.find(path, file(path));
    }

    @Override
    public boolean hasFolder(String folder) {
        return Files.isDirectory(folder(folder));
    }

    @Override
    public FolderLevel listLevel(String folder) throws IOException {
        return folders.list(folder(folder), temporaries.folder());
    }

    @Override
    public void createFolder(String folder) throws IOException {
        folders.create(folder(folder));
    }

    @Override
    public boolean deleteFolder(String folder, boolean recursive) throws IOException {
        return folders.delete(folder(folder), recursive, this::forget);
    }

    @Override
    public boolean rename(String from, String to) throws IOException {
        boolean renamed = folders.rename(file(from), file(to));
        forget(file(from));
        return renamed;
    }

    private Path folder(String folder) {
        return folder.isEmpty() ? root : file(folder);
    }

    /** Collects objects; files that vanish meanwhile are left out. */
    private final class Lister extends SimpleFileVisitor<Path> {
        private final String prefix;
        private final Consumer<ObjectEntry> action;

        Lister(String prefix, Consumer<ObjectEntry> action) {
            this.prefix = prefix;
            this.action = action;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String path = path(directory) + "/";
            boolean wanted =
                    !temporaries.folder().equals(Optional.of(directory))
                            && (path.startsWith(prefix) || prefix.startsWith(path));
            return wanted || directory.equals(root)
                    ? FileVisitResult.CONTINUE
                    : FileVisitResult.SKIP_SUBTREE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String path = path(file);
            if (path.startsWith(prefix)) {
                action.accept(
                        new ObjectEntry(
                                path,
                                attributes.size(),
                                attributes.lastModifiedTime().toInstant()));
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        private String path(Path file) {
            return root.relativize(file).toString();
        }
    }
}
