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
     * @return false if they cannot be merged, and were not added
     */
    boolean add(long row, FileEntry file, Map<Integer, ColumnSketch> sketches) {
        boolean mergeable = sketches.values().stream().allMatch(SketchBuilder::isSketch);
        if (mergeable) {
            Key key =
                    new Key(
                            file.tableId(),
                            file.partition().map(ByteBuffer::wrap),
                            sketches.keySet());
            Building group = groups.computeIfAbsent(key, same -> new Building());
            group.add(sketches, file.rowCount());
            members.add(new Member(row, group));
        }
        return mergeable;
    }

    /** A receiver of the place of a file's sketches. */
    @FunctionalInterface
    interface Mover {
        void move(long row, FileSketches.Place place);
    }

    /** Passes on the places of the added files' sketches, with their groups. */
    void move(Mover mover) {
        for (Member member : members) {
            mover.move(member.row, new FileSketches.Place(base, member.row, member.group.build()));
        }
    }

    private record Key(TableId tableId, Optional<ByteBuffer> partition, Set<Integer> columns) {}

    private record Member(long row, Building group) {}

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
