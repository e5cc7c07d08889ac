package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every example of the documentation is run or compared by a test, and tests it names exist. */
final class TestDocumentation {
    private static final Set<String> NOT_SOURCES = Set.of("target", ".git", ".stele");
    private static final Path HOME = DocumentedExample.repository();
    private static final String SELF = TestDocumentation.class.getSimpleName();

    /**
     * The blocks of all pages by language, and who runs them. A new block fails the test until its
     * line here counts it.
     */
    private static final List<Examples> EXAMPLES =
            List.of(
                    run("README.md", "sh", 2, SELF),
                    run("README.md", "sql", 1, "SteleDocumentationIT"),
                    run("README.md", "text", 1, "SteleDocumentationIT"),
                    run("CONTRIBUTING.md", "sh", 1, SELF),
                    run("benchmarks/README.md", "json", 1, "TestBenchmarkReport"),
                    run("clients/python/README.md", "python", 4, "PythonClientIT"),
                    shown("clients/python/README.md", "sh", 1, "pip of the reader's machine"),
                    shown(
                            "docs/architecture.md",
                            "",
                            1,
                            "the modules, as ArchUnit and Maven check"),
                    run("docs/client.md", "java", 1, "SteleDocumentationIT"),
                    run("docs/client.md", "text", 1, "SteleDocumentationIT"),
                    run("docs/configuration.md", "json", 1, "TestGroupSpecReader"),
                    run("docs/connector.md", "properties", 1, "SteleDocumentationIT"),
                    run("docs/connector.md", "sql", 17, "SteleDocumentationIT"),
                    run("docs/connector.md", "text", 13, "SteleDocumentationIT"),
                    shown("docs/format.md", "", 23, "layouts of bytes, not bytes"),
                    run("docs/format.md", "hex", 4, "TestDocumentedRecords"),
                    run("docs/format.md", "text", 1, "TestDecisionFormat"),
                    run("docs/operations.md", "ini", 1, "FailureExitIT"),
                    run("docs/operations.md", "sh", 5, "InstallationIT"),
                    run("docs/paimon.md", "properties", 1, "PaimonReadIT"),
                    shown("docs/protocol.md", "", 3, "layouts of bytes, not bytes"),
                    run("docs/protocol.md", "hex", 1, "TestDocumentedRecords"),
                    run("docs/protocol.md", "python", 1, "StelePythonIT"),
                    run("docs/serving.md", "json", 1, "TestAccessRules"),
                    run("docs/serving.md", "python", 1, "StelePythonIT"),
                    run("docs/serving.md", "properties", 1, "PostgresServerIT"),
                    shown("docs/serving.md", "sh", 1, "a client of the reader's machine"),
                    run("docs/serving.md", "sql", 2, "PostgresServerIT"),
                    shown("docs/serving.md", "text", 1, "a line of the log with times of a run"),
                    run("docs/streaming.md", "java", 1, "FlinkDocumentationIT"),
                    run("docs/streaming.md", "sql", 5, "FlinkDocumentationIT"),
                    shown(
                            "docs/streaming.md",
                            "text",
                            3,
                            "no test has a Kafka; quickstart streams into a lake"),
                    run("docs/testing.md", "sh", 2, SELF));

    private static final Pattern COMMAND = Pattern.compile("bin/stele ([a-z]+)([^;#]*)");
    private static final Pattern OPTION = Pattern.compile("--[a-z-]+");

    /** A class of tests, and one of its methods where it is named. */
    private static final Pattern TEST_CLASS =
            Pattern.compile(
                    "`(Test[A-Z]\\w+|[A-Z]\\w*[a-z0-9](?:IT|Simulation|Lincheck|Contract))(?:[.#](\\w+))?`");

    /**
     * @param test the class that runs them; empty: nobody can
     * @param why nobody can
     */
    private record Examples(String page, String language, int count, String test, String why) {
        String key() {
            return page + " '" + language + "'";
        }
    }

    private static Examples run(String page, String language, int count, String test) {
        return new Examples(page, language, count, test, "");
    }

    private static Examples shown(String page, String language, int count, String why) {
        return new Examples(page, language, count, "", why);
    }

    @Test
    void everyExampleIsRunByATest() throws IOException {
        Map<String, Integer> expected = new TreeMap<>();
        EXAMPLES.forEach(
                examples -> expected.merge(examples.key(), examples.count(), Integer::sum));
        Map<String, Integer> found = new TreeMap<>();
        List<String> places = new ArrayList<>();
        for (String page : pages()) {
            for (DocumentedExample example : DocumentedExample.of(page)) {
                found.merge(page + " '" + example.language() + "'", 1, Integer::sum);
                places.add(example.place() + " '" + example.language() + "'");
            }
        }
        assertThat(found)
                .as("let a test run the new example, and count it in EXAMPLES; found: %s", places)
                .isEqualTo(expected);
    }

    @Test
    void theTestsThatRunThemReadThePages() throws IOException {
        for (Examples examples : EXAMPLES) {
            if (examples.test().isEmpty()) {
                assertThat(examples.why()).isNotEmpty();
            } else {
                assertThat(source(examples.test())).as(examples.test()).contains(examples.page());
            }
        }
    }

    /** Commands that start servers or build are not run here; they and their options exist. */
    @Test
    void commandsOfTheCheckoutExist() throws IOException {
        String script = Files.readString(HOME.resolve("bin/stele"));
        int commands = 0;
        for (Examples examples : EXAMPLES) {
            if (examples.test().equals(SELF)) {
                for (DocumentedExample example :
                        DocumentedExample.of(examples.page(), examples.language())) {
                    commands += check(example, script);
                }
            }
        }
        assertThat(commands).isGreaterThan(10);
    }

    private static int check(DocumentedExample example, String script) {
        int commands = 0;
        Matcher command = COMMAND.matcher(example.text());
        while (command.find()) {
            commands++;
            String name = command.group(1);
            Matcher help =
                    Pattern.compile("(?ms)^  " + name + "\\b.*?(?=^  \\w|^EOF)").matcher(script);
            assertThat(script).as(example.place()).contains("\ncommand_" + name + "() {");
            assertThat(help.find()).as("%s: help of %s", example.place(), name).isTrue();
            OPTION.matcher(command.group(2))
                    .results()
                    .forEach(
                            option ->
                                    assertThat(help.group())
                                            .as("%s: options of %s", example.place(), name)
                                            .contains(option.group()));
        }
        return commands;
    }

    @Test
    void theTestsThatDocumentsNameExist() throws IOException {
        Map<String, Path> classes = new TreeMap<>();
        sources().forEach(file -> classes.put(className(file), file));
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (String page : namingPages()) {
            Matcher name = TEST_CLASS.matcher(Files.readString(HOME.resolve(page)));
            while (name.find()) {
                named++;
                Path source = classes.get(name.group(1));
                if (source == null || !has(source, name.group(2))) {
                    missing.add(page + ": " + name.group());
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(named).isGreaterThan(100);
    }

    private static boolean has(Path source, @Nullable String method) throws IOException {
        return method == null || Files.readString(source).contains(" " + method + "(");
    }

    private static List<String> pages() throws IOException {
        List<String> pages =
                new ArrayList<>(
                        List.of(
                                "README.md",
                                "CONTRIBUTING.md",
                                "benchmarks/README.md",
                                "clients/python/README.md"));
        pages.addAll(markdown("docs"));
        return pages;
    }

    private static List<String> namingPages() throws IOException {
        List<String> pages = new ArrayList<>(pages());
        pages.addAll(markdown("docs/decisions"));
        return pages;
    }

    private static List<String> markdown(String folder) throws IOException {
        try (Stream<Path> files = Files.list(HOME.resolve(folder))) {
            return files.map(Path::getFileName)
                    .map(Path::toString)
                    .filter(name -> name.endsWith(".md"))
                    .sorted()
                    .map(name -> folder + "/" + name)
                    .toList();
        }
    }

    private static String source(String test) throws IOException {
        Path found =
                sources().stream()
                        .filter(file -> className(file).equals(test))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no test " + test));
        return Files.readString(found);
    }

    private static String className(Path source) {
        String name = String.valueOf(source.getFileName());
        return name.substring(0, name.length() - ".java".length());
    }

    /** The sources of all tests. */
    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        // Files of builds and of other tests come and go meanwhile
        Files.walkFileTree(
                HOME,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        return NOT_SOURCES.contains(String.valueOf(folder.getFileName()))
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.toString().endsWith(".java")
                                && file.toString().contains("/src/test/java/")) {
                            sources.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return sources;
    }
}
