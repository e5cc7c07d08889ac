package io.stele.sidecar;

import io.stele.engine.node.EngineFailure;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The main class of a process whose engine has failed, and whose server cannot be closed. */
public final class HangingSidecar {
    private HangingSidecar() {}

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        FailureExit exit =
                new FailureExit(
                        never::await,
                        new PrintStream(OutputStream.nullOutputStream()),
                        Duration.ofMillis(500));
        exit.begin(
                new EngineFailure(
                        false, new SteleException(ErrorCode.STORE_FAILED, "the log failed")));
        never.await();
    }
}
