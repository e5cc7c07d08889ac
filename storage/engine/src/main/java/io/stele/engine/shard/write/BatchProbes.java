package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The lookups in files that evaluating one batch needs, and their results: rows of its table, and
 * entries of the table's unique indexes. Confined to one thread, which for writes is the shard's
 * context; a {@link Question} can be answered on any thread.
 */
public final class BatchProbes {
    private final RowProbes rows;
    private final ParallelReads reads;
    private final List<UniqueIndexCheck> checks;
    private final List<IndexProbes> ofChecks = new ArrayList<>();
    private @Nullable TableView view;

    public BatchProbes(TableSchema schema, TableFiles files, List<UniqueIndexCheck> checks) {
        this.rows = new RowProbes(new FileRows(schema, files));
        this.reads = files.parallelReads();
        this.checks = List.copyOf(checks);
        this.checks.forEach(check -> ofChecks.add(new IndexProbes()));
    }

    /** Discards results of other files than the view's; call it before each evaluation. */
    public void require(TableView newView) {
        view = newView;
        rows.require(newView);
        for (int i = 0; i < checks.size(); i++) {
            ofChecks.get(i).require(checks.get(i).index());
        }
    }

    RowProbes rows() {
        return rows;
    }

    IndexProbes ofCheck(int index) {
        return ofChecks.get(index);
    }

    public List<UniqueIndexCheck> checks() {
        return checks;
    }

    /**
     * Requests the rows that the conditional operations of a batch depend on. Rows in memory may
     * change until the batch's turn; too many lookups are harmless.
     *
     * @param isInFlight whether the row of a key is known without files
     */
    public void addRows(WriteBatchReader batch, Predicate<KeySlice> isInFlight) {
        batch.rewind();
        while (batch.next()) {
            if (batch.kind().isConditional()) {
                KeySlice key = new KeySlice(batch.buffer(), batch.keyOffset(), batch.keyLength());
                if (!isInFlight.test(key)) {
                    addRow(batch, key);
                }
            }
        }
        batch.rewind();
    }

    /** Requests the row that the present operation of a batch depends on. */
    public void addRow(WriteBatchReader batch, KeySlice key) {
        if (!isInMemory(batch)) {
            rows.find(key, batch.kind().isPartial());
        }
    }

    private boolean isInMemory(WriteBatchReader batch) {
        for (MemTable table : requireNonNull(view, "no view yet").memTables()) {
            KeyedVersion version =
                    table.find(
                            batch.buffer(), batch.keyOffset(), batch.keyLength(), Long.MAX_VALUE);
            if (version != null) {
                return !version.isDeleted();
            }
        }
        return false;
    }

    /**
     * Requests the index entries for the unique values of a batch's rows, except of partial
     * updates, whose whole rows are not known yet.
     */
    public void addValues(WriteBatchReader batch, RowLayout layout) {
        BinaryRow row = new BinaryRow(layout);
        batch.rewind();
        while (batch.next()) {
            if (batch.kind().hasRow() && !batch.kind().isPartial()) {
                row.wrap(batch.buffer(), batch.rowOffset(), batch.rowLength());
                addValues(row);
            }
        }
        batch.rewind();
    }

    /** Requests the index entries for the unique values of a row. */
    public void addValues(BinaryRow row) {
        for (int i = 0; i < checks.size(); i++) {
            IndexProbes ofCheck = ofChecks.get(i);
            checks.get(i).claim(row).ifPresent(ofCheck::find);
        }
    }

    public boolean hasOpen() {
        return rows.hasOpen() || ofChecks.stream().anyMatch(IndexProbes::hasOpen);
    }

    public Question takeOpen() {
        List<IndexProbes.Question> questions = new ArrayList<>();
        for (int i = 0; i < checks.size(); i++) {
            questions.add(ofChecks.get(i).takeOpen(checks.get(i).index()));
        }
        return new Question(rows.takeOpen(), questions, reads);
    }

    public void answer(Answers answers) {
        rows.answer(answers.rows());
        for (int i = 0; i < ofChecks.size(); i++) {
            ofChecks.get(i).answer(answers.ofChecks().get(i));
        }
    }

    /** The lookups to do; {@link #answer} blocks on files. */
    public record Question(
            RowProbes.Question rows, List<IndexProbes.Question> ofChecks, ParallelReads reads) {
        public Answers answer() throws IOException {
            List<IndexProbes.Answers> found = new ArrayList<>();
            for (IndexProbes.Question question : ofChecks) {
                found.add(question.answer(reads));
            }
            return new Answers(rows.answer(), found);
        }
    }

    public record Answers(RowProbes.Answers rows, List<IndexProbes.Answers> ofChecks) {}
}
