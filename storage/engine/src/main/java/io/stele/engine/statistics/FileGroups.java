package io.stele.engine.statistics;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.schema.TableSchema;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The sums of a large table's column files by groups of some hundred of them. After a flush or a
 * compaction, only the groups of the files that came, went or changed are summed again, and not all
 * files of the table. The group of a file follows from its id alone, so that others stay where they
 * are. Immutable.
 */
final class FileGroups {
    private static final int FILES_OF_A_GROUP = 256;

    /** The groups stay until there are so many times too many or too few of them. */
    private static final int TOLERANCE = 4;

    private static final int MIN_GROUPS = 4;

    private final int schemaVersion;
    private final Group[] groups;
    private final int summedFiles;

    private FileGroups(int schemaVersion, Group[] groups, int summedFiles) {
        this.schemaVersion = schemaVersion;
        this.groups = groups;
        this.summedFiles = summedFiles;
    }

    /**
     * One group.
     *
     * @param state a hash of the files, and of what else their statistics depend on
     */
    private record Group(long state, FileSum sum) {}

    /**
     * The files of a table in groups; empty if the table is so small that its files are better
     * summed one by one.
     *
     * @param views of the table's shards
     * @param hashes {@link FileHashes#ofColumnFiles} of the views
     * @param before the groups of a former state of the table
     */
    static Optional<FileGroups> of(
            TableSchema schema, List<TableView> views, long[] hashes, Optional<FileGroups> before) {
        int files = hashes.length;
        if (files < MIN_GROUPS * FILES_OF_A_GROUP) {
            return Optional.empty();
        }
        Optional<FileGroups> kept =
                before.filter(
                        groups ->
                                groups.schemaVersion == schema.schemaVersion()
                                        && groups.fit(files));
        int count = kept.map(groups -> groups.groups.length).orElseGet(() -> groupCount(files));
        long[] states = new long[count];
        int[] groupOf = new int[files];
        int file = 0;
        for (TableView view : views) {
            for (ColumnFile each : view.columnFiles()) {
                groupOf[file] = (int) (hashes[file] >>> 32) & (count - 1);
                states[groupOf[file]] += state(hashes[file], view, each);
                file++;
            }
        }
        return Optional.of(sum(schema, views, states, groupOf, kept));
    }

    private static long state(long hash, TableView view, ColumnFile file) {
        long state = FileHashes.next(hash, file.deletes().cardinality());
        state = FileHashes.next(state, file.entry().sketches().isEmpty() ? 0 : 1);
        return FileHashes.next(state, view.schema().schemaVersion());
    }

    private static int groupCount(int files) {
        return Integer.highestOneBit(files / FILES_OF_A_GROUP);
    }

    private boolean fit(int files) {
        int wanted = groupCount(files);
        return groups.length <= wanted * TOLERANCE && wanted <= groups.length * TOLERANCE;
    }

    private static FileGroups sum(
            TableSchema schema,
            List<TableView> views,
            long[] states,
            int[] groupOf,
            Optional<FileGroups> kept) {
        @Nullable Group[] summed = new Group[states.length];
        boolean[] isKept = new boolean[states.length];
        for (int i = 0; i < states.length; i++) {
            if (kept.isPresent() && kept.get().groups[i].state == states[i]) {
                summed[i] = kept.get().groups[i];
                isKept[i] = true;
            } else {
                summed[i] = new Group(states[i], new FileSum(schema));
            }
        }
        int file = 0;
        int summedFiles = 0;
        for (TableView view : views) {
            for (ColumnFile each : view.columnFiles()) {
                int group = groupOf[file++];
                if (!isKept[group]) {
                    summedFiles++;
                    summed[group].sum.addFile(view, each, view.versions().statistics(each.entry()));
                }
            }
        }
        return new FileGroups(schema.schemaVersion(), summed, summedFiles);
    }

    /** Adds all files to a sum. */
    void addTo(FileSum sum) {
        Arrays.stream(groups).forEach(group -> sum.addFiles(group.sum));
    }

    /** The files whose groups were not summed before. */
    int summedFiles() {
        return summedFiles;
    }
}
