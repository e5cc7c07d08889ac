package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.ExistingRows;
import io.stele.connector.type.KeyRows;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A writer's sink that buffers rows until it knows their destination: few rows are staged for the
 * log, many are written into column files. Few rows for which the log has no room are also written
 * into files.
 */
final class InsertSink implements RowSink {
    private final WriteContext context;
    private final RowLimit limit;
    private final boolean filesAllowed;
    private final long directThresholdBytes;
    private final int fewPartitions;
    private final List<Page> held = new ArrayList<>();
    private long heldBytes; // of the rows
    private long retainedBytes; // of the pages of the rows
    private @Nullable RowSink chosen;

    /**
     * @param fewPartitions the number of files of any size, as in {@link SmallPartitions}
     */
    InsertSink(WriteContext context, long directThresholdBytes, int fewPartitions) {
        this.fewPartitions = fewPartitions;
        this.context = requireNonNull(context, "context is null");
        this.limit =
                new RowLimit(context.table().qualifiedName(), context.columns(), context.types());
        this.directThresholdBytes = directThresholdBytes;
        // Row tablets accept rows from the log only, and with files the existing keys are not
        // checked
        this.filesAllowed =
                context.table().orientation() == Orientation.COLUMN
                        && context.handle().existing() == ExistingRows.REPLACE;
    }

    @Override
    public void append(Page page) throws IOException {
        limit.check(page);
        if (chosen == null && !filesAllowed) {
            chosen = new StagedSink(context);
        }
        if (chosen != null) {
            chosen.append(page);
            return;
        }
        held.add(page);
        heldBytes += page.getSizeInBytes();
        retainedBytes += page.getRetainedSizeInBytes();
        if (heldBytes > directThresholdBytes) {
            release(files());
        }
    }

    @Override
    public long retainedBytes() {
        return retainedBytes + (chosen == null ? 0 : chosen.retainedBytes());
    }

    @Override
    public long writtenBytes() {
        return chosen == null ? 0 : chosen.writtenBytes();
    }

    @Override
    public List<WrittenFile> finish() throws IOException {
        if (chosen == null) {
            if (held.isEmpty()) {
                return List.of();
            }
            return finishFew();
        }
        return chosen.finish();
    }

    private List<WrittenFile> finishFew() throws IOException {
        List<Page> few = List.copyOf(held);
        RowSink log = spreads(few) ? SortedFilesSink.byLog(context) : new StagedSink(context);
        try {
            release(log);
            return log.finish();
        } catch (TrinoException refused) {
            if (!StagedSink.isFull(refused)) {
                throw refused;
            }
        }
        log.abort();
        held.clear();
        RowSink files = files();
        chosen = files;
        for (Page page : few) {
            files.append(page);
        }
        return files.finish();
    }

    /** Whether it matters for the number of files which shard receives which partition. */
    private boolean spreads(List<Page> pages) {
        return context.table().distributionColumns().isEmpty()
                && !context.table().partitionedBy().isEmpty()
                && pages.stream().mapToInt(Page::getPositionCount).sum() > SmallPartitions.FEW;
    }

    @Override
    public List<UUID> parts() {
        return chosen == null ? List.of() : chosen.parts();
    }

    @Override
    public void abort() throws IOException {
        held.clear();
        if (chosen != null) {
            chosen.abort();
        }
    }

    private RowSink files() {
        boolean sorted =
                context.table().hasPrimaryKey()
                        || !context.table().clusteringKey().isEmpty()
                        || !context.table().partitionedBy().isEmpty();
        return sorted
                ? SortedFilesSink.byFile(context, fewPartitions)
                : new StreamedFilesSink(context, KeyRows.hasKeys(context.table()));
    }

    private void release(RowSink sink) throws IOException {
        chosen = sink;
        for (Page page : held) {
            sink.append(page);
        }
        held.clear();
        heldBytes = 0;
        retainedBytes = 0;
    }
}
