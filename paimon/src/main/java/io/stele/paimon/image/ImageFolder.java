package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.hash.Hashing;
import io.airlift.log.Logger;
import io.stele.cache.files.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A local folder of persisted images, one file for each table, bounded in bytes, from which one
 * process reopens images after a restart.
 *
 * <p>Invariant: a file that cannot be read is deleted and counts as absent. Thread-safe; calls
 * block.
 */
public final class ImageFolder {
    private static final Logger log = Logger.get(ImageFolder.class);
    private static final Pattern NAME = Pattern.compile("([0-9a-f]{32})-(\\d{1,19})\\.image");
    private static final String UNFINISHED = ".unfinished";

    private record Persisted(
            Path path, String table, long snapshotId, long sizeBytes, FileTime at) {
        Persisted {
            requireNonNull(path, "path is null");
            requireNonNull(table, "table is null");
            requireNonNull(at, "at is null");
        }
    }

    private final Path folder;
    private final long maxBytes;
    private final AtomicLong unfinished = new AtomicLong();

    /**
     * Creates the folder, and deletes files that an earlier process did not finish.
     *
     * @param maxBytes the limit beyond which the images that were written longest ago are deleted
     */
    public ImageFolder(Path folder, long maxBytes) throws IOException {
        checkArgument(maxBytes >= 0, "maxBytes must be >= 0: %s", maxBytes);
        this.folder = requireNonNull(folder, "folder is null");
        this.maxBytes = maxBytes;
        Files.createDirectories(folder);
        for (Path file : Directories.list(folder)) {
            if (file.getFileName().toString().endsWith(UNFINISHED)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** The newest image of a table whose snapshot is not after {@code maxSnapshotId}. */
    Optional<TableImage> open(TableId table, long maxSnapshotId) {
        List<Persisted> ofTable =
                list().stream()
                        .filter(file -> file.table().equals(hash(table)))
                        .filter(file -> file.snapshotId() <= maxSnapshotId)
                        .sorted(Comparator.comparingLong(Persisted::snapshotId).reversed())
                        .toList();
        for (Persisted file : ofTable) {
            try {
                TableImage image = ImageFile.open(file.path());
                if (image.table().equals(table)) {
                    return Optional.of(image);
                }
                throw new DamagedImageException(
                        "Expected an image of %s, found one of %s in %s"
                                .formatted(table, image.table(), file.path()));
            } catch (IOException e) {
                log.warn(e, "Deleting an image that cannot be read: %s", file.path());
                delete(file.path());
            }
        }
        return Optional.empty();
    }

    /**
     * Writes an image in the place of the table's earlier image; ignores an image larger than the
     * limit.
     */
    void write(TableImage image) throws IOException {
        if (image.persistedBytes() > maxBytes) {
            return;
        }
        Path path =
                folder.resolve("%s-%s.image".formatted(hash(image.table()), image.snapshot().id()));
        Path temporary = folder.resolve(unfinished.getAndIncrement() + UNFINISHED);
        try {
            ImageFile.write(temporary, image);
            Files.move(
                    temporary,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            delete(temporary);
        }
        deleteOthers(path, hash(image.table()));
    }

    /** Deletes all images of a table. */
    void remove(TableId table) {
        for (Persisted file : list()) {
            if (file.table().equals(hash(table))) {
                delete(file.path());
            }
        }
    }

    private void deleteOthers(Path written, String table) {
        long total = 0;
        for (Persisted file : list()) { // newest first
            boolean replaced = file.table().equals(table) && !file.path().equals(written);
            if (replaced || total + file.sizeBytes() > maxBytes) {
                delete(file.path());
            } else {
                total += file.sizeBytes();
            }
        }
    }

    private List<Persisted> list() {
        List<Persisted> result = new ArrayList<>();
        try {
            for (Path file : Directories.list(folder)) {
                Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches()) {
                    result.add(
                            new Persisted(
                                    file,
                                    name.group(1),
                                    Long.parseLong(name.group(2)),
                                    Files.size(file),
                                    Files.getLastModifiedTime(file)));
                }
            }
        } catch (IOException | NumberFormatException e) {
            log.warn(e, "Images cannot be listed in %s", folder);
        }
        result.sort(Comparator.comparing(Persisted::at).reversed());
        return result;
    }

    private static String hash(TableId table) {
        return Hashing.sha256()
                .hashString(table.location() + "\0" + table.branch(), UTF_8)
                .toString()
                .substring(0, 32);
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.warn(e, "An image cannot be deleted: %s", path);
        }
    }
}
