package io.stele.paimon.merge;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.SourcePage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A merge of sorted inputs by key into pages of one row for each key, for scans on workers.
 * Confined to one driver.
 *
 * <p>Invariant: each row of the result is the only one of its key.
 */
public final class SortedMerge {
    /*
     * A heap has the inputs by their next keys. As long as one input's keys lie before all others',
     * its rows are a run, whose end is found by galloping: a run is taken as a range, and the rest
     * of a page as the page itself, of which columns that no one looks at are not even decoded.
     * Only where two inputs have the same key are single rows compared. Every input has at most one
     * row of a key, as in Paimon.
     */

    /** A shorter rest of a page is copied, which costs less than a result page of its own. */
    private static final int MIN_PAGE_ROWS = 1024;

    private final MergeLayout layout;
    private final RowMerger merger;
    private final List<MergeInput> inputs = new ArrayList<>();
    private final InputHeap heap = new InputHeap();
    private final MergedRows result;
    private final List<MergeInput> group = new ArrayList<>();
    private boolean isStarted;
    private boolean isRestNext; // the rest of the page of the heap's top is the next result
    private boolean isRestTaken; // the rest of the page of the heap's top was returned

    /**
     * @param rows owned by the caller
     */
    public SortedMerge(MergeLayout layout, MergeRules rules, List<? extends SortedRows> rows) {
        this.layout = requireNonNull(layout, "layout is null");
        this.merger = rules.merger(layout.columnCount());
        this.result = new MergedRows(layout, rules.isByColumn());
        for (SortedRows input : rows) {
            inputs.add(new MergeInput(input, layout, inputs.size()));
        }
    }

    /**
     * The next rows of the result.
     *
     * @return null: there are no more
     */
    public @Nullable SourcePage next() throws IOException {
        if (!isStarted) {
            isStarted = true;
            for (MergeInput input : inputs) {
                if (input.advancePage()) {
                    heap.add(input);
                }
            }
        }
        while (true) {
            if (isRestTaken) {
                isRestTaken = false;
                advance(heap.top());
            }
            while (!isRestNext && !heap.isEmpty() && !result.isFull()) {
                step();
            }
            if (!result.isEmpty()) {
                return result.take();
            }
            if (!isRestNext) {
                return null;
            }
            isRestNext = false;
            isRestTaken = true;
            SourcePage rest = restOfPage(heap.top());
            if (rest.getPositionCount() > 0) {
                return rest;
            }
        }
    }

    /** Merges one run of an input, or the rows of one key. */
    private void step() throws IOException {
        MergeInput first = heap.top();
        int count = first.batch().count();
        int end = heap.size() == 1 ? count : first.endBefore(heap.second());
        if (end == first.position()) {
            mergeKey();
            return;
        }
        if (end == count && end - first.position() >= MIN_PAGE_ROWS) {
            isRestNext = true;
            return;
        }
        end = Math.min(end, first.position() + Math.max(1, result.room()));
        addRun(first.batch(), first.position(), end);
        if (first.skipTo(end)) {
            heap.topChanged();
        } else {
            advance(first);
        }
    }

    private void addRun(MergeBatch batch, int start, int end) {
        if (!batch.hasDeletions()) {
            result.add(batch, start, end - start);
            return;
        }
        for (int position = start; position < end; position++) {
            if (batch.isAdd(position)) {
                result.add(batch, position, 1);
            }
        }
    }

    /** The rows of an input's page, from the next row on, that are no deletions. */
    private SourcePage restOfPage(MergeInput input) {
        MergeBatch batch = input.batch();
        int count = batch.count();
        if (input.position() > 0 || batch.hasDeletions()) {
            int[] positions = new int[count - input.position()];
            int size = 0;
            for (int position = input.position(); position < count; position++) {
                positions[size] = position;
                size += batch.isAdd(position) ? 1 : 0;
            }
            batch.page().selectPositions(positions, 0, size);
        }
        return new RestOfPage(batch.page(), layout);
    }

    private void mergeKey() throws IOException {
        group.clear();
        MergeInput first = heap.removeTop();
        group.add(first);
        while (!heap.isEmpty() && heap.top().compareKeys(first) == 0) {
            insertByAge(heap.removeTop());
        }
        merger.merge(group, result);
        for (MergeInput input : group) {
            boolean hasMore = input.skipTo(input.position() + 1);
            if (!hasMore) {
                result.leave(input.batch());
                hasMore = input.advancePage();
            }
            if (hasMore) {
                heap.add(input);
            }
        }
    }

    private void insertByAge(MergeInput input) {
        int at = group.size();
        while (at > 0 && group.get(at - 1).compareAge(input) > 0) {
            at--;
        }
        group.add(at, input);
    }

    /** Reads the next page of the heap's top, whose page has no more rows. */
    private void advance(MergeInput top) throws IOException {
        result.leave(top.batch());
        if (top.advancePage()) {
            heap.topChanged();
        } else {
            heap.removeTop();
        }
    }

    /** The bytes of the inputs, with their pages, and of the result. */
    public long memoryBytes() {
        long bytes = result.memoryBytes();
        for (MergeInput input : inputs) {
            bytes += input.memoryBytes();
        }
        return bytes;
    }
}
