package io.stele.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class FailureExitIT {
    /** A supervisor restarts after any failure, but not what was taken over. */
    @Test
    void theDocumentedServiceHasTheseExitCodes() throws IOException {
        assertThat(DocumentedExample.of("docs/operations.md", "ini"))
                .singleElement()
                .extracting(DocumentedExample::text, InstanceOfAssertFactories.STRING)
                .contains(
                        "Restart=on-failure\n",
                        "RestartPreventExitStatus=%d\n".formatted(FailureExit.TAKEN_OVER));
        assertThat(FailureExit.LOG_FAILED).isNotZero().isNotEqualTo(FailureExit.TAKEN_OVER);
    }

    @Test
    void whatHangsDoesNotKeepTheProcess() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty(
                                        "surefire.test.class.path",
                                        System.getProperty("java.class.path")),
                                HangingSidecar.class.getName())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("it has ended").isTrue();
            assertThat(process.exitValue()).isEqualTo(FailureExit.LOG_FAILED);
        } finally {
            process.destroyForcibly();
        }
    }
}
