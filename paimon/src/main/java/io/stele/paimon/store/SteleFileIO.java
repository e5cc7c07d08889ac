package io.stele.paimon.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stele.objectstore.FolderLevel;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.fs.ByteArraySeekableStream;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The file system that Paimon's library uses for a lake's metadata and data files, over the lake's
 * object stores. Metadata files are read whole, with one request; other files through the data page
 * cache. On every store, a created file appears at once and whole, and replaces no other file
 * unless that is requested, so that of two committers of one snapshot one loses.
 *
 * <p>Serializable because Paimon demands it; a copy from another process has no stores, and its
 * calls fail. Thread-safe.
 */
public final class SteleFileIO implements FileIO {
    private static final long serialVersionUID = 1L;

    /** Data files whose size is cached: some 20 MB of heap at most. */
    private static final int MAX_SIZES = 100_000;

    private final boolean isObjectStore;
    private final transient @Nullable LakeStores stores;
    private final transient @Nullable Cache<String, Long> sizes;

    SteleFileIO(LakeStores stores, boolean isObjectStore) {
        this.stores = requireNonNull(stores, "stores is null");
        this.isObjectStore = isObjectStore;
        this.sizes = Caffeine.newBuilder().maximumSize(MAX_SIZES).build();
    }

    /** Whether Paimon locks commits where it has a lock; commits here are safe without a lock. */
    @Override
    public boolean isObjectStore() {
        return isObjectStore;
    }

    @Override
    public void configure(CatalogContext context) {}

    private LakeStores.Located locate(Path path) throws IOException {
        if (stores == null) {
            throw new IOException(
                    "Expected the files of a lake in the process that opened it, found another: "
                            + path);
        }
        return stores.locate(path);
    }

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException {
        if (LakeFileNames.isMetadata(path.toUri().getPath())) {
            return new ByteArraySeekableStream(readFully(path));
        }
        LakeStores.Located file = locate(path);
        long sizeBytes = sizeOf(path, file);
        ObjectReader reader = file.store().objects().open(file.path(), sizeBytes);
        return new LakeInputStream(reader, sizeBytes);
    }

    private byte[] readFully(Path path) throws IOException {
        LakeStores.Located file = locate(path);
        try {
            return file.store().objects().readFully(file.path());
        } catch (NoSuchFileException e) {
            throw missing(path, e);
        }
    }

    private long sizeOf(Path path, LakeStores.Located file) throws IOException {
        Long known = requireNonNull(sizes, "sizes is null").getIfPresent(path.toString());
        if (known != null) {
            return known;
        }
        return find(path, file).orElseThrow(() -> missing(path, null)).sizeBytes();
    }

    private Optional<ObjectEntry> find(Path path, LakeStores.Located file) throws IOException {
        Optional<ObjectEntry> found = file.store().folders().find(file.path());
        found.ifPresent(entry -> remember(path, entry));
        return found;
    }

    /** Caches the size of a data file, which never changes. */
    private void remember(Path path, ObjectEntry entry) {
        if (LakeFileNames.isData(entry.path())) {
            requireNonNull(sizes, "sizes is null").put(path.toString(), entry.sizeBytes());
        }
    }

    private static FileNotFoundException missing(Path path, @Nullable IOException cause) {
        FileNotFoundException missing = new FileNotFoundException(path + " does not exist");
        missing.initCause(cause);
        return missing;
    }

    @Override
    public String readFileUtf8(Path path) throws IOException {
        // Paimon's own leaves line ends out, too
        return new String(readFully(path), UTF_8).lines().collect(Collectors.joining());
    }

    @Override
    public long getFileSize(Path path) throws IOException {
        return sizeOf(path, locate(path));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        LakeStores.Located file = locate(path);
        if (mayBeFile(file) && !LakeFileNames.isFolder(file.path())) {
            Optional<ObjectEntry> entry = find(path, file);
            if (entry.isPresent()) {
                return LakeFileStatus.file(path, entry.get());
            }
        }
        if (isFolder(file)) {
            return LakeFileStatus.folder(path);
        }
        if (mayBeFile(file) && LakeFileNames.isFolder(file.path())) {
            return LakeFileStatus.file(
                    path, find(path, file).orElseThrow(() -> missing(path, null)));
        }
        throw missing(path, null);
    }

    private static boolean mayBeFile(LakeStores.Located file) {
        return !file.path().isEmpty();
    }

    private static boolean isFolder(LakeStores.Located file) throws IOException {
        return !LakeFileNames.isFile(file.path()) && file.store().folders().hasFolder(file.path());
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        LakeStores.Located folder = locate(path);
        FolderLevel level = folder.store().folders().listLevel(folder.path());
        List<FileStatus> found = new ArrayList<>();
        for (String name : level.folders()) {
            found.add(LakeFileStatus.folder(child(path, name)));
        }
        for (ObjectEntry entry : level.objects()) {
            Path child = child(path, entry.path().substring(entry.path().lastIndexOf('/') + 1));
            remember(child, entry);
            found.add(LakeFileStatus.file(child, entry));
        }
        if (found.isEmpty() && mayBeFile(folder) && !LakeFileNames.isFolder(folder.path())) {
            find(path, folder).ifPresent(entry -> found.add(LakeFileStatus.file(path, entry)));
        }
        return found.toArray(FileStatus[]::new);
    }

    /**
     * A child of a folder, not resolved by Paimon's path, which would read a name with a colon as
     * one with a scheme.
     */
    private static Path child(Path folder, String name) {
        String path = folder.toUri().getPath();
        return new Path(
                folder.toUri().getScheme(),
                folder.toUri().getAuthority(),
                path.endsWith("/") ? path + name : path + "/" + name);
    }

    @Override
    public boolean exists(Path path) throws IOException {
        LakeStores.Located file = locate(path);
        return LakeFileNames.isFolder(file.path()) || !mayBeFile(file)
                ? isFolder(file) || (mayBeFile(file) && find(path, file).isPresent())
                : find(path, file).isPresent() || isFolder(file);
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
        LakeStores.Located folder = locate(path);
        folder.store().folders().createFolder(folder.path());
        return true;
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        LakeStores.Located file = locate(path);
        requireNonNull(sizes, "sizes is null").invalidate(path.toString());
        if (LakeFileNames.isFile(file.path()) || find(path, file).isPresent()) {
            file.store().objects().delete(file.path());
            return true;
        }
        return file.store().folders().deleteFolder(file.path(), recursive);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        LakeStores.Located source = locate(from);
        LakeStores.Located target = locate(to);
        if (source.store() != target.store()) {
            throw new IOException(
                    "Expected a new name in the same store, found %s for %s".formatted(to, from));
        }
        return source.store().folders().rename(source.path(), target.path());
    }

    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException {
        LakeStores.Located file = locate(path);
        return overwrite
                ? new ReplacingOutputStream(file.store().objects(), file.path())
                : new LakeOutputStream(file.store().objects().create(file.path()));
    }

    @Override
    public boolean tryToWriteAtomic(Path path, String content) throws IOException {
        LakeStores.Located file = locate(path);
        return file.store().objects().createIfAbsent(file.path(), content.getBytes(UTF_8));
    }

    @Override
    public void writeFile(Path path, String content, boolean overwrite) throws IOException {
        if (overwrite) {
            overwriteFileUtf8(path, content);
        } else if (!tryToWriteAtomic(path, content)) {
            throw new FileAlreadyExistsException(path.toString());
        }
    }

    @Override
    public void overwriteFileUtf8(Path path, String content) throws IOException {
        LakeStores.Located file = locate(path);
        file.store().objects().put(file.path(), content.getBytes(UTF_8));
    }
}
