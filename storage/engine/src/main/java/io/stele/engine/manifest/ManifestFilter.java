package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A filter of the file entries of a manifest, by table, partition, level, keys and column
 * statistics. An empty component matches every entry. Arrays must not be changed.
 *
 * @param partition encoded values of the partition columns
 * @param fromKey files whose keys are all lower are omitted
 * @param toKey files whose keys are all higher are omitted
 * @param predicate on columns of the table; files whose bounds exclude a matching row are omitted
 * @param schemaVersion version of the predicate's columns; it omits no files of other versions
 * @param sketches whether the sketches of the entries are read
 */
public record ManifestFilter(
        Optional<TableId> tableId,
        Optional<byte[]> partition,
        OptionalInt level,
        Optional<byte[]> fromKey,
        Optional<byte[]> toKey,
        ScanPredicate predicate,
        int schemaVersion,
        boolean sketches) {
    public static final ManifestFilter ALL =
            new ManifestFilter(
                    Optional.empty(),
                    Optional.empty(),
                    OptionalInt.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    true);

    public ManifestFilter {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(partition, "partition is null");
        requireNonNull(level, "level is null");
        requireNonNull(fromKey, "fromKey is null");
        requireNonNull(toKey, "toKey is null");
        requireNonNull(predicate, "predicate is null");
        if (!predicate.isAll() && tableId.isEmpty()) {
            throw new IllegalArgumentException(
                    "Expected a table with a predicate on its columns, found none");
        }
    }

    /** A filter without a predicate on columns. */
    public ManifestFilter(
            Optional<TableId> tableId,
            Optional<byte[]> partition,
            OptionalInt level,
            Optional<byte[]> fromKey,
            Optional<byte[]> toKey,
            boolean sketches) {
        this(tableId, partition, level, fromKey, toKey, ScanPredicate.ALL, 0, sketches);
    }

    /** This filter with a predicate on columns of a schema version. */
    public ManifestFilter where(ScanPredicate newPredicate, int newSchemaVersion) {
        return new ManifestFilter(
                tableId,
                partition,
                level,
                fromKey,
                toKey,
                newPredicate,
                newSchemaVersion,
                sketches);
    }

    /** This filter, without sketches of the entries. */
    public ManifestFilter withoutSketches() {
        return new ManifestFilter(
                tableId, partition, level, fromKey, toKey, predicate, schemaVersion, false);
    }

    /** The files of one partition of a table, without sketches. */
    public static ManifestFilter ofPartition(TableId tableId, byte[] partition) {
        return new ManifestFilter(
                Optional.of(tableId),
                Optional.of(partition),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /** Whether the filter matches a file. */
    public boolean matches(FileEntry file) {
        return tableId.map(file.tableId()::equals).orElse(true)
                && partition
                        .map(wanted -> Arrays.equals(wanted, file.partition().orElse(null)))
                        .orElse(true)
                && (level.isEmpty() || level.getAsInt() == file.level())
                && (fromKey.isEmpty()
                        || file.maxKey().isEmpty()
                        || Arrays.compareUnsigned(file.maxKey().get(), fromKey.get()) >= 0)
                && (toKey.isEmpty()
                        || file.minKey().isEmpty()
                        || Arrays.compareUnsigned(file.minKey().get(), toKey.get()) <= 0)
                && (predicate.isAll()
                        || file.schemaVersion() != schemaVersion
                        || predicate.mayMatch(file.columnStats(), file.rowCount()));
    }
}
