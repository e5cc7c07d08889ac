package io.stele.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The JDK's {@code jcmd}, which asks another Java process. */
public final class Jcmd {
    private Jcmd() {}

    /** What it answers to a command, for example {@code GC.class_histogram}. */
    public static String ask(long pid, String command) throws IOException {
        Path program = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process asked =
                new ProcessBuilder(program.toString(), Long.toString(pid), command)
                        .redirectErrorStream(true)
                        .start();
        try (InputStream answer = asked.getInputStream()) {
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
