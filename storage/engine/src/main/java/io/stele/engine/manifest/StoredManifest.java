package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.engine.wal.LogMark;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The stored JSON form of a manifest version: its difference from a base, or the whole manifest
 * where there is no base.
 *
 * @param files entries that are missing or different in the base, in the manifest's order
 * @param writers the writers, in format versions before 6
 * @param writersObject the object that has all writers as of its creation
 * @param changedWriters the writers that changed since, in the encoding of {@link
 *     WriterProgressCodec}; absent: none
 * @param base the base with all other files; absent: none, as in format versions before 5
 * @param removed ids of files of the base that are no longer in the manifest
 * @param log absent in format versions before 7
 * @param ingestedRows true if an SST file of the manifest, or its base, was ingested, from format
 *     version 8 on; else absent
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record StoredManifest(
        @JsonProperty("version") long version,
        @JsonProperty("epoch") long epoch,
        @JsonProperty("shard") ShardId shard,
        @JsonProperty("files") List<FileEntry> files,
        @JsonProperty("tables") List<TableProgress> tables,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("writers")
                List<StoredWriter> writers,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("writersObject")
                Optional<WritersObject> writersObject,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("changedWriters")
                byte[] changedWriters,
        @JsonProperty("prepared") List<PreparedTransaction> prepared,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("base")
                Optional<ManifestBase> base,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("removed") List<String> removed,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("log") Optional<LogMark> log,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("hasIngestedRows")
                Optional<Boolean> ingestedRows) {
    private static final byte[] NONE = {};

    StoredManifest {
        requireNonNull(shard, "shard is null");
        requireNonNull(base, "base is null");
        requireNonNull(log, "log is null");
        requireNonNull(ingestedRows, "ingestedRows is null");
        requireNonNull(writersObject, "writersObject is null");
        writers = List.copyOf(requireNonNullElse(writers, List.of()));
        changedWriters = requireNonNullElse(changedWriters, NONE);
        files = List.copyOf(files);
        removed = List.copyOf(requireNonNullElse(removed, List.of()));
    }

    /** The stored form of a manifest without a base. */
    static StoredManifest whole(Manifest manifest) {
        return of(manifest, List.copyOf(manifest.files()), Optional.empty(), List.of());
    }

    private static StoredManifest of(
            Manifest manifest,
            List<FileEntry> files,
            Optional<ManifestBase> base,
            List<String> removed) {
        return new StoredManifest(
                manifest.version(),
                manifest.epoch(),
                manifest.shard(),
                files,
                manifest.tables(),
                List.of(),
                manifest.writersObject(),
                manifest.writers().isEmpty()
                        ? NONE
                        : WriterProgressCodec.encode(manifest.writers()),
                manifest.prepared(),
                base,
                removed,
                manifest.log(),
                manifest.files().stream().anyMatch(FileEntry::isIngestedRows)
                        ? Optional.of(true)
                        : Optional.empty());
    }

    /**
     * The format version that a release must support to read this manifest: a release that ignores
     * the ingest LSN of an SST file would take its rows for older than all others, and one that
     * expects JSON in a base would take the base for damaged.
     */
    int formatVersion() {
        if (base.isPresent() && base.get().entryFormat().isPresent()) {
            return 9;
        }
        return ingestedRows.orElse(false) ? 8 : 7;
    }

    /**
     * The difference of a manifest from a base.
     *
     * @param there the files of the base; unchanged entries must be the same objects
     * @return empty if the order of the files cannot be expressed this way
     */
    static Optional<StoredManifest> difference(
            Manifest manifest, ManifestBase base, FileEntries there) {
        FileEntries.Difference difference = manifest.files().differenceFrom(there);
        return difference.inOrder()
                ? Optional.of(
                        of(
                                manifest,
                                difference.changed(),
                                Optional.of(base),
                                difference.removedIds()))
                : Optional.empty();
    }

    /** The number of files that differ from the base. */
    int changes() {
        return files.size() + removed.size();
    }

    /**
     * Restores the manifest.
     *
     * @param there the files of the base; empty if there is no base
     * @param where for messages
     */
    Manifest toManifest(FileEntries there, String where) {
        for (String id : removed) {
            if (there.find(id).isEmpty()) {
                throw new SteleException(
                        ErrorCode.CORRUPT_DATA,
                        "Expected file %s, which is removed, in the base of %s, found none"
                                .formatted(id, where));
            }
        }
        return new Manifest(
                version,
                epoch,
                shard,
                filesOver(there),
                tables,
                writersObject,
                writers(where),
                prepared,
                log);
    }

    private List<WriterProgress> writers(String where) {
        return changedWriters.length > 0
                ? WriterProgressCodec.decode(changedWriters, where)
                : writers.stream().map(StoredWriter::toProgress).toList();
    }

    /** Applies these changes to all or some files of the base. */
    FileEntries filesOver(FileEntries some) {
        FileEntries.Draft all = some.draft();
        removed.forEach(all::remove);
        files.forEach(file -> all.put(withSketches(file, all.find(file.fileId()).orElse(null))));
        return all.build();
    }

    /** Restores the sketches of an entry, which are omitted if the base has them. */
    private static FileEntry withSketches(FileEntry file, @Nullable FileEntry ofBase) {
        return ofBase == null || !file.sketches().isEmpty() || ofBase.sketches().isEmpty()
                ? file
                : file.withSketches(ofBase.sketches());
    }

    /** This version with other entries of the same files. */
    StoredManifest withFiles(List<FileEntry> newFiles) {
        return new StoredManifest(
                version,
                epoch,
                shard,
                newFiles,
                tables,
                writers,
                writersObject,
                changedWriters,
                prepared,
                base,
                removed,
                log,
                ingestedRows);
    }
}
