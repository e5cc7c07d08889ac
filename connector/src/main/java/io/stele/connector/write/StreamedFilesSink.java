package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import com.google.common.io.Closer;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.connector.type.KeyRows;
import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.io.IOException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A sink that writes rows in arrival order into column files of their shards, for tables whose rows
 * have no order. If such a table has no distribution key either, one shard after the other gets a
 * whole file. Confined to one thread.
 *
 * <p>The open files have one memory limit together. The more of them there are, the smaller are the
 * stripes of the next one. If that is not enough, the largest files are finished early.
 */
final class StreamedFilesSink implements RowSink {
    // 128 MiB: large enough to scan at full speed, small enough to compact in one go
    private static final long MAX_FILE_BYTES = 128L << 20;

    private static final int MIN_STRIPE_BYTES = 1 << 20;

    // A smaller file stays open even above the memory limit: tables of thousands of columns would
    // otherwise have a file per page
    private static final long MIN_FILE_BYTES = 1 << 20;

    private final WriteContext context;
    private final @Nullable KeyRows keys;
    private final Map<Integer, OpenFile> open = new TreeMap<>();
    private final SinkFiles files;
    private int nextShard;

    StreamedFilesSink(WriteContext context, boolean routed) {
        this.context = requireNonNull(context, "context is null");
        this.keys =
                routed ? new KeyRows(context.table(), context.columns(), context.types()) : null;
        this.files = new SinkFiles(context);
        this.nextShard = context.firstShard();
    }

    @Override
    public void append(Page page) throws IOException {
        if (keys == null) {
            write(nextShard, page);
            return;
        }
        int[][] positions = positionsOfShards(page, keys);
        for (int shard = 0; shard < positions.length; shard++) {
            if (positions[shard].length > 0) {
                write(shard, page.getPositions(positions[shard], 0, positions[shard].length));
            }
        }
        endTheLargest();
    }

    private void endTheLargest() throws IOException {
        while (open.size() > 1 && retainedBytes() > context.maxOpenBytes()) {
            Map.Entry<Integer, OpenFile> largest =
                    Collections.max(
                            open.entrySet(),
                            Comparator.comparingLong(
                                    entry -> entry.getValue().content.retainedBytes()));
            if (largest.getValue().content.sizeBytes() < MIN_FILE_BYTES) {
                return;
            }
            finish(largest.getKey());
        }
    }

    /** The stripe size of the next file, in bytes. */
    private int stripeBytes() {
        long share = context.maxOpenBytes() / (open.size() + 1);
        return (int) Math.clamp(share, MIN_STRIPE_BYTES, OrcFileWriter.STRIPE_BYTES);
    }

    private int[][] positionsOfShards(Page page, KeyRows routing) {
        int shardCount = context.table().shardCount();
        int[] shards = new int[page.getPositionCount()];
        int[] counts = new int[shardCount];
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        for (int position = 0; position < shards.length; position++) {
            routing.read(blocks, position);
            shards[position] = routing.shard();
            counts[shards[position]]++;
        }
        int[][] positions = new int[shardCount][];
        for (int shard = 0; shard < shardCount; shard++) {
            positions[shard] = new int[counts[shard]];
            counts[shard] = 0;
        }
        for (int position = 0; position < shards.length; position++) {
            int shard = shards[position];
            positions[shard][counts[shard]++] = position;
        }
        return positions;
    }

    private void write(int shard, Page page) throws IOException {
        OpenFile file = open.get(shard);
        if (file == null) {
            WriteContext.FileName name = files.begin(shard);
            file = new OpenFile(name, context.create(name, stripeBytes()));
            open.put(shard, file);
        }
        file.content.write(page);
        if (file.content.sizeBytes() >= MAX_FILE_BYTES) {
            finish(shard);
            nextShard = (nextShard + 1) % context.table().shardCount();
        }
    }

    private void finish(int shard) throws IOException {
        OpenFile file = requireNonNull(open.remove(shard), "file is null");
        try (OrcFileWriter content = file.content) {
            OrcFileWriter.Summary summary = context.finish(file.name, content);
            files.finished(
                    new WrittenFile(
                            context.table().id(),
                            file.name.shard(),
                            file.name.fileId(),
                            file.name.orcPath(),
                            Optional.empty(),
                            summary.sizeBytes(),
                            0,
                            summary.rowCount(),
                            context.table().schemaVersion(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            summary.statistics(),
                            summary.bitmapIndexBytes(),
                            OptionalInt.of(FileChecksums.BLOCK_BYTES),
                            summary.sketches(),
                            OptionalInt.empty()));
        }
    }

    @Override
    public long retainedBytes() {
        return open.values().stream().mapToLong(file -> file.content.retainedBytes()).sum();
    }

    @Override
    public long writtenBytes() {
        return files.finishedBytes();
    }

    @Override
    public List<WrittenFile> finish() throws IOException {
        for (int shard : List.copyOf(open.keySet())) {
            finish(shard);
        }
        return files.finished();
    }

    @Override
    public List<UUID> parts() {
        return List.of();
    }

    @Override
    public void abort() throws IOException {
        try (Closer closer = Closer.create()) {
            closer.register(files::delete); // last
            open.values().forEach(file -> closer.register(file.content::close));
        }
        open.clear();
    }

    private record OpenFile(WriteContext.FileName name, OrcFileWriter content) {}
}
