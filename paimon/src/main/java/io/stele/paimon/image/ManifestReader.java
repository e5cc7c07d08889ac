package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.paimon.Snapshot;
import org.apache.paimon.manifest.FileEntry;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.manifest.ManifestFileMeta;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.SnapshotManager;

/**
 * A reader of a table's manifests from the store, several in parallel, to build, advance and verify
 * images. Thread-safe; calls block.
 */
final class ManifestReader {
    /**
     * @param from the snapshot to which the deltas apply
     */
    record Deltas(Snapshot from, List<ManifestEntry> entries) {
        Deltas {
            requireNonNull(from, "from is null");
            requireNonNull(entries, "entries is null");
        }
    }

    private record Step(Snapshot snapshot, List<ManifestFileMeta> manifests) {
        Step {
            requireNonNull(snapshot, "snapshot is null");
            requireNonNull(manifests, "manifests is null");
        }
    }

    private final FileStoreTable table;
    private final ParallelTasks tasks;

    ManifestReader(FileStoreTable table, ParallelTasks tasks) {
        this.table = requireNonNull(table, "table is null");
        this.tasks = requireNonNull(tasks, "tasks is null");
    }

    /** The entries of all files of a snapshot, which its manifests add and none of them deletes. */
    List<ManifestEntry> readAll(Snapshot snapshot) throws IOException {
        List<ManifestFileMeta> manifests = new ArrayList<>();
        tasks.map(List.of(true, false), base -> list(snapshot, base)).forEach(manifests::addAll);
        List<List<ManifestEntry>> read = tasks.map(manifests, this::read);
        Set<FileEntry.Identifier> deleted = new HashSet<>();
        for (List<ManifestEntry> entries : read) {
            for (ManifestEntry entry : entries) {
                if (entry.kind() == FileKind.DELETE) {
                    deleted.add(entry.identifier());
                }
            }
        }
        List<ManifestEntry> result = new ArrayList<>();
        for (List<ManifestEntry> entries : read) {
            for (ManifestEntry entry : entries) {
                if (entry.kind() == FileKind.ADD
                        && (deleted.isEmpty() || !deleted.contains(entry.identifier()))) {
                    result.add(entry);
                }
            }
        }
        return result;
    }

    /**
     * The entries of the deltas of all snapshots after {@code from} up to {@code to}, in the order
     * of the commits.
     *
     * @param from the snapshot before the first delta; its file is read again, since the id may
     *     name another commit by now
     */
    Deltas readDeltas(long from, Snapshot to) throws IOException {
        List<Long> ids = LongStream.rangeClosed(from, to.id()).boxed().toList();
        List<Step> steps =
                tasks.map(
                        ids,
                        id -> {
                            Snapshot snapshot = id == to.id() ? to : snapshot(id);
                            return new Step(
                                    snapshot, id == from ? List.of() : list(snapshot, false));
                        });
        List<ManifestFileMeta> manifests = new ArrayList<>();
        steps.forEach(step -> manifests.addAll(step.manifests()));
        List<ManifestEntry> entries = new ArrayList<>();
        tasks.map(manifests, this::read).forEach(entries::addAll);
        return new Deltas(steps.getFirst().snapshot(), entries);
    }

    Snapshot snapshot(long id) throws IOException {
        return SnapshotManager.tryFromPath(
                table.fileIO(), table.snapshotManager().snapshotPath(id));
    }

    /** The sums of each slice, computed from all manifests. */
    Map<SliceKey, SliceSums> readSums(Snapshot snapshot) throws IOException {
        Map<SliceKey, SliceSums> sums = new HashMap<>();
        for (ManifestEntry entry : readAll(snapshot)) {
            sums.merge(SliceKey.of(entry), SliceSums.NONE.plus(entry.file()), SliceSums::plus);
        }
        return sums;
    }

    private List<ManifestFileMeta> list(Snapshot snapshot, boolean base) {
        return base
                ? table.store()
                        .manifestListFactory()
                        .create()
                        .read(snapshot.baseManifestList(), snapshot.baseManifestListSize())
                : table.store().manifestListFactory().create().readDeltaManifests(snapshot);
    }

    private List<ManifestEntry> read(ManifestFileMeta manifest) {
        return table.store()
                .manifestFileFactory()
                .create()
                .read(manifest.fileName(), manifest.fileSize());
    }
}
