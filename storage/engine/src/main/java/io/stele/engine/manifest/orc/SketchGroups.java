package io.stele.engine.manifest.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileSketches;
import io.stele.engine.manifest.ManifestBase;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnSketch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The merged column sketches of the files of a manifest base, one group for the files of a
 * partition with sketches of the same columns. For whole partitions, which planners request,
 * statistics from a group equal the statistics from the sketches of its files. Confined to one
 * thread.
 */
final class SketchGroups {
    private final ManifestBase base;
    private final Map<Key, Building> groups = new HashMap<>();
    private final List<Member> members = new ArrayList<>();

    SketchGroups(ManifestBase base) {
        this.base = requireNonNull(base, "base is null");
    }

    /**
     * Adds the sketches of a file.
     *
     * @param row of the file in the base
     */
    void add(long row, FileEntry file, Map<Integer, ColumnSketch> sketches) {
        if (sketches.values().stream().allMatch(SketchBuilder::isSketch)) {
            Key key =
                    new Key(
                            file.tableId(),
                            file.partition().map(ByteBuffer::wrap),
                            sketches.keySet());
            Building group = groups.computeIfAbsent(key, same -> new Building());
            group.add(sketches, file.rowCount());
            members.add(new Member(row, file, group));
        }
    }

    /** Removes the sketches of the added files from memory, in favour of their groups. */
    void shed() {
        for (Member member : members) {
            member.file
                    .sketches()
                    .moveTo(new FileSketches.Place(base, member.row, member.group.build()));
        }
    }

    private record Key(TableId tableId, Optional<ByteBuffer> partition, Set<Integer> columns) {}

    private record Member(long row, FileEntry file, Building group) {}

    /** A group that is being merged. */
    private static final class Building {
        private final Map<Integer, SketchBuilder> columns = new TreeMap<>();
        private final List<FileSketches.Group> built = new ArrayList<>(1);
        private long rowCount;

        void add(Map<Integer, ColumnSketch> sketches, long rows) {
            rowCount += rows;
            sketches.forEach(
                    (id, sketch) ->
                            columns.computeIfAbsent(id, column -> new SketchBuilder())
                                    .merge(sketch));
        }

        /** The group, the same object for all of its files. */
        FileSketches.Group build() {
            if (built.isEmpty()) {
                Map<Integer, ColumnSketch> sketches = new TreeMap<>();
                columns.forEach((id, column) -> sketches.put(id, column.build()));
                built.add(new FileSketches.Group(sketches, rowCount));
            }
            return built.getFirst();
        }
    }
}
