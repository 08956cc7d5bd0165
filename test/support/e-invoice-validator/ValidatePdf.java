import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.mustangproject.validator.ZUGFeRDValidator;

/** Validates PDF files, listed in a file, and prints one line each: file, rules, errors, warnings and their texts. */
public class ValidatePdf {
  private static final Pattern FAULT = Pattern.compile("<(error|exception|warning)[^>]*>(.*?)</\\1>", Pattern.DOTALL);

  public static void main(String[] lists) throws Exception {
    for (String list : lists)
      for (String file : Files.readAllLines(Path.of(list))) {
        ZUGFeRDValidator validator = new ZUGFeRDValidator();
        validator.disableNotices();
        String report = validator.validate(file);
        List<String> texts = new ArrayList<>();
        int errors = 0;
        int warnings = 0;
        Matcher faults = FAULT.matcher(report);
        while (faults.find()) {
          boolean isWarning = faults.group(1).equals("warning");
          if (isWarning) warnings++;
          else errors++;
          texts.add((isWarning ? "WARNING " : "ERROR ") + faults.group(2).replaceAll("\\s+", " ").trim());
        }
        if (!validator.wasCompletelyValid() && errors == 0) {
          errors++;
          texts.add("ERROR " + report.replaceAll("\\s+", " "));
        }
        System.out.println(String.join("\t", file, "mustang", "" + errors, "" + warnings, String.join(" | ", texts)));
      }
  }
}
