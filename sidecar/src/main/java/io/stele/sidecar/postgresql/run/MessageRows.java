package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.IOException;
import java.util.List;

/** The rows of a fixed plan's result, written as DataRow messages to a PostgreSQL client. */
public final class MessageRows implements ResultRows {
    private final PlanRows rows;
    private final RowWriter writer;

    /**
     * @param formats of the results, as in a Bind message
     */
    public MessageRows(FixedPlan plan, PlanRows rows, List<Integer> formats) {
        this.rows = requireNonNull(rows, "rows is null");
        this.writer = new RowWriter(plan.table(), plan.results(), formats);
    }

    @Override
    public boolean writeNext(MessageWriter out) throws IOException {
        return rows.next(writer.to(out));
    }

    @Override
    public void pause() {
        rows.pause();
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
