package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.IngestedSstBuilder;
import io.stele.engine.datafile.SortedRuns;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.TableVersions;
import io.stele.engine.shard.write.DuplicateKey;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A writer of rows of one shard into SST files that a commit will ingest: sorted runs, one for each
 * buffer, and at the end a merge of those whose ranges of keys overlap. So each key is in one file,
 * and the files of a load are one run for readers and compactions. Confined to one thread.
 */
final class SortedRunsWriter {
    /** 4,096: about a millisecond of rows. */
    private static final int ROWS_BETWEEN_CHECKS = 1 << 12;

    /** 64: of each run, a merge has some ranges of 1 MiB in memory where the store is remote. */
    static final int MAX_RUNS = 64;

    /** 64 MiB, as of compacted files. */
    private static final long FILE_BYTES = 64L << 20;

    private static final long NO_LSN = 0; // the commit gives them theirs

    private final TableFiles files;
    private final TableSchema table;
    private final TableVersions versions;
    private final ShardId shard;
    private final Supplier<String> fileIds;
    private final Runnable checkNotGivenUp;
    private long rowsToCheck;

    /**
     * @param table in the version of the rows
     * @param checkNotGivenUp called now and then; throws if nobody wants the files any more
     */
    SortedRunsWriter(
            TableFiles files,
            TableSchema table,
            ShardId shard,
            Supplier<String> fileIds,
            Runnable checkNotGivenUp) {
        this.files = requireNonNull(files, "files is null");
        this.table = requireNonNull(table, "table is null");
        this.versions = TableVersions.of(table);
        this.shard = requireNonNull(shard, "shard is null");
        this.fileIds = requireNonNull(fileIds, "fileIds is null");
        this.checkNotGivenUp = requireNonNull(checkNotGivenUp, "checkNotGivenUp is null");
    }

    /**
     * Writes the rows of validated batches into a file, which is durable.
     *
     * @throws io.stele.protocol.SteleException DUPLICATE_KEY
     */
    WrittenFile write(List<byte[]> batches) throws IOException {
        List<KeyedVersion> rows = new ArrayList<>();
        for (byte[] bytes : batches) {
            checkNotGivenUp.run();
            WriteBatchReader batch = new WriteBatchReader(bytes);
            while (batch.next()) {
                rows.add(
                        KeyedVersion.live(
                                batch.buffer(),
                                batch.keyOffset(),
                                batch.keyLength(),
                                NO_LSN,
                                batch.buffer(),
                                batch.rowOffset(),
                                batch.rowLength()));
            }
        }
        rows.sort(null);
        return write(rows.iterator(), Long.MAX_VALUE).getFirst();
    }

    /**
     * Merges files whose ranges of keys overlap; the others stay as they are. Merged ones are
     * deleted. Returns the files, whose ranges do not overlap.
     *
     * @throws io.stele.protocol.SteleException DUPLICATE_KEY
     */
    List<WrittenFile> merge(List<WrittenFile> written) throws IOException {
        List<WrittenFile> merged = new ArrayList<>();
        for (List<WrittenFile> group : overlapping(written)) {
            List<List<WrittenFile>> runs = runs(group);
            while (runs.size() > 1) {
                List<List<WrittenFile>> fewer = new ArrayList<>();
                for (int from = 0; from < runs.size(); from += MAX_RUNS) {
                    fewer.add(
                            mergeRuns(runs.subList(from, Math.min(runs.size(), from + MAX_RUNS))));
                }
                runs = fewer;
            }
            merged.addAll(runs.getFirst());
        }
        return merged;
    }

    private static List<List<WrittenFile>> runs(List<WrittenFile> group) {
        return SortedRuns.of(group, SortedRunsWriter::minKey, SortedRunsWriter::maxKey);
    }

    private static byte[] minKey(WrittenFile file) {
        return file.minKey().orElseThrow();
    }

    private static byte[] maxKey(WrittenFile file) {
        return file.maxKey().orElseThrow();
    }

    /** Groups of files, each of which overlaps others of its group. */
    private static List<List<WrittenFile>> overlapping(List<WrittenFile> written) {
        List<WrittenFile> byLeastKey = new ArrayList<>(written);
        byLeastKey.sort(Comparator.comparing(SortedRunsWriter::minKey, Arrays::compareUnsigned));
        List<List<WrittenFile>> groups = new ArrayList<>();
        byte[] greatest = null;
        for (WrittenFile file : byLeastKey) {
            if (greatest == null || Arrays.compareUnsigned(minKey(file), greatest) > 0) {
                groups.add(new ArrayList<>());
                greatest = maxKey(file);
            } else if (Arrays.compareUnsigned(maxKey(file), greatest) > 0) {
                greatest = maxKey(file);
            }
            groups.getLast().add(file);
        }
        return groups;
    }

    private List<WrittenFile> mergeRuns(List<List<WrittenFile>> runs) throws IOException {
        if (runs.size() == 1) {
            return runs.getFirst();
        }
        List<WrittenFile> merged;
        try (SequentialReads reads = files.sequentialReads()) {
            List<Iterator<KeyedVersion>> sources = new ArrayList<>();
            for (List<WrittenFile> run : runs) {
                sources.add(
                        SortedRuns.versions(run, reads, (file, own) -> open(file).versions(own)));
            }
            merged = write(new MergingVersions(sources), FILE_BYTES);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        runs.stream().flatMap(List::stream).forEach(this::delete);
        return merged;
    }

    private SstFile open(WrittenFile file) {
        return files.lazyRow(
                Transactions.entry(file).withIngest(Lsn.MIN, OptionalLong.empty()), versions);
    }

    /** What cannot be deleted now is deleted when the transaction has ended. */
    private void delete(WrittenFile file) {
        try {
            files.store().delete(file.path());
        } catch (IOException left) {
            return;
        }
        files.forget(file.path());
    }

    private List<WrittenFile> write(Iterator<KeyedVersion> rows, long targetBytes)
            throws IOException {
        List<WrittenFile> written = new ArrayList<>();
        KeyedVersion last = null;
        while (rows.hasNext()) {
            try (IngestedSstBuilder file =
                    IngestedSstBuilder.create(files, table, shard, fileIds.get())) {
                while (rows.hasNext() && file.sizeBytes() < targetBytes) {
                    KeyedVersion next = rows.next();
                    check(last, next);
                    file.add(next);
                    last = next;
                }
                written.add(file.finish());
            }
        }
        return written;
    }

    private void check(@Nullable KeyedVersion last, KeyedVersion next) {
        if (last != null && last.compareKey(next) == 0) {
            throw DuplicateKey.refusal(table, next.key());
        }
        if (rowsToCheck-- <= 0) {
            rowsToCheck = ROWS_BETWEEN_CHECKS;
            checkNotGivenUp.run();
        }
    }
}
