package io.stele.engine.shard;

import io.stele.engine.tablet.TableFiles;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * All lookups in files that one batch needs: rows of its table, and entries of the table's unique
 * indexes. Confined to the shard's context; a {@link Question} can be answered on any thread.
 */
final class BatchProbes {
    private final RowProbes rows;
    private final ParallelReads reads;
    private final List<UniqueIndexCheck> checks;
    private final List<IndexProbes> ofChecks = new ArrayList<>();

    BatchProbes(TableSchema schema, TableFiles files, List<UniqueIndexCheck> checks) {
        this.rows = new RowProbes(new FileRows(schema, files));
        this.reads = files.parallelReads();
        this.checks = List.copyOf(checks);
        this.checks.forEach(check -> ofChecks.add(new IndexProbes()));
    }

    /** Call it before an evaluation: results of other files than the present ones are discarded. */
    void require(TableView view) {
        rows.require(view);
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

    List<UniqueIndexCheck> checks() {
        return checks;
    }

    boolean hasOpen() {
        return rows.hasOpen() || ofChecks.stream().anyMatch(IndexProbes::hasOpen);
    }

    Question takeOpen() {
        List<IndexProbes.Question> questions = new ArrayList<>();
        for (int i = 0; i < checks.size(); i++) {
            questions.add(ofChecks.get(i).takeOpen(checks.get(i).index()));
        }
        return new Question(rows.takeOpen(), questions, reads);
    }

    void answer(Answers answers) {
        rows.answer(answers.rows());
        for (int i = 0; i < ofChecks.size(); i++) {
            ofChecks.get(i).answer(answers.ofChecks().get(i));
        }
    }

    /** The lookups to do; {@link #answer} blocks on files. */
    record Question(
            RowProbes.Question rows, List<IndexProbes.Question> ofChecks, ParallelReads reads) {
        Answers answer() throws IOException {
            List<IndexProbes.Answers> found = new ArrayList<>();
            for (IndexProbes.Question question : ofChecks) {
                found.add(question.answer(reads));
            }
            return new Answers(rows.answer(), found);
        }
    }

    record Answers(RowProbes.Answers rows, List<IndexProbes.Answers> ofChecks) {}
}
