package io.stele.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A fenced block of a page of the documentation. {@code TestDocumentation} has the list of them all
 * with the tests that run them.
 *
 * @param page its path in the repository, such as {@code docs/client.md}
 * @param line the line of the opening fence, from 1
 * @param language what is behind the opening fence; empty: nothing
 * @param text the lines between the fences, each with its end
 */
public record DocumentedExample(String page, int line, String language, String text) {
    private static final String FENCE = "```";

    public DocumentedExample {
        requireNonNull(page, "page is null");
        requireNonNull(language, "language is null");
        requireNonNull(text, "text is null");
    }

    /**
     * The examples of a page in this language, in their order.
     *
     * @throws AssertionError if there are none
     */
    public static List<DocumentedExample> of(String page, String language) throws IOException {
        List<DocumentedExample> found =
                of(page).stream().filter(example -> example.language().equals(language)).toList();
        if (found.isEmpty()) {
            throw new AssertionError(
                    "Expected an example in '%s', found none in %s".formatted(language, page));
        }
        return found;
    }

    /** All examples of a page, in their order. */
    public static List<DocumentedExample> of(String page) throws IOException {
        List<DocumentedExample> examples = new ArrayList<>();
        List<String> lines = Files.readAllLines(repository().resolve(page));
        for (int begin = 0; begin < lines.size(); begin++) {
            if (lines.get(begin).strip().startsWith(FENCE)) {
                int end = begin + 1;
                while (end < lines.size() && !lines.get(end).strip().equals(FENCE)) {
                    end++;
                }
                if (end == lines.size()) {
                    throw new AssertionError(
                            "Expected the end of the block, found none after line %d of %s"
                                    .formatted(begin + 1, page));
                }
                List<String> within = lines.subList(begin + 1, end);
                examples.add(
                        new DocumentedExample(
                                page,
                                begin + 1,
                                lines.get(begin).strip().substring(FENCE.length()).strip(),
                                within.isEmpty() ? "" : String.join("\n", within) + "\n"));
                begin = end;
            }
        }
        return List.copyOf(examples);
    }

    /** The root of the checkout, above the folder of the module whose tests run. */
    public static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("bin/stele"))) {
            at = requireNonNull(at.getParent(), "Expected bin/stele above, found none");
        }
        return at;
    }

    /** Where it is, for messages. */
    public String place() {
        return page + ", line " + line;
    }
}
