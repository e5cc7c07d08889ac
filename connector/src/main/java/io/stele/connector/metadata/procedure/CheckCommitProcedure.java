package io.stele.connector.metadata.procedure;

import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import com.google.inject.Provider;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.write.TransactionOutcomeRequest;
import io.stele.protocol.api.write.WriteActions;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;
import java.lang.invoke.MethodHandle;

/**
 * The procedure {@code CALL system.check_commit(transaction_id)}, which finds out from the sidecar
 * whether a write with an unknown outcome is committed. Fails with STELE_TRANSACTION_LOST if it is
 * not and never will be.
 */
public final class CheckCommitProcedure implements Provider<Procedure> {
    private static final MethodHandle CHECK;

    static {
        try {
            CHECK = lookup().unreflect(CheckCommitProcedure.class.getMethod("check", String.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SteleSidecar sidecar;

    @Inject
    public CheckCommitProcedure(SteleSidecar sidecar) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    @Override
    public Procedure get() {
        return new Procedure(
                "system",
                "check_commit",
                ImmutableList.of(new Argument("TRANSACTION_ID", VARCHAR)),
                CHECK.bindTo(this));
    }

    /** Called by Trino. */
    public void check(String transactionId) {
        sidecar.callUntilKnown(
                WriteActions.TRANSACTION_OUTCOME,
                new TransactionOutcomeRequest(transactionId),
                "It is not known whether transaction " + transactionId + " is committed");
    }
}
