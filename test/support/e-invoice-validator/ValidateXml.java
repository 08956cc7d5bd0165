import com.helger.phive.api.execute.ValidationExecutionManager;
import com.helger.phive.api.executorset.ValidationExecutorSetRegistry;
import com.helger.phive.api.validity.IValidityDeterminator;
import com.helger.phive.en16931.EN16931Validation;
import com.helger.phive.peppol.PeppolValidation;
import com.helger.phive.xml.source.IValidationSourceXML;
import com.helger.phive.xml.source.ValidationSourceXML;
import com.helger.phive.xrechnung.XRechnungValidation;
import com.helger.phive.zugferd.ZugferdValidation;
import com.helger.io.resource.FileSystemResource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Validates XML files, given as arguments, and prints one line for each set of rules: file, rules, errors, warnings and their texts. */
public class ValidateXml {
  public static void main(String[] files) throws Exception {
    var registry = new ValidationExecutorSetRegistry<IValidationSourceXML>();
    EN16931Validation.initEN16931(registry);
    PeppolValidation.initStandard(registry);
    XRechnungValidation.initXRechnung(registry);
    ZugferdValidation.initZugferd(registry);
    for (String list : files)
      for (String file : Files.readAllLines(Path.of(list)))
        for (String rules : rulesOf(Files.readString(Path.of(file)))) {
          var set = registry.getAll().stream().filter(each -> each.getID().getAsSingleID().equals(rules)).findFirst();
          if (set.isEmpty()) throw new IllegalArgumentException("No rules " + rules);
          var source = ValidationSourceXML.create(new FileSystemResource(file));
          var results = ValidationExecutionManager.executeValidation(
              IValidityDeterminator.createDefault(), set.get(), source, Locale.US);
          int errors = 0;
          int warnings = 0;
          List<String> texts = new ArrayList<>();
          for (var result : results)
            for (var error : result.getErrorList()) {
              if (error.isError()) errors++;
              else warnings++;
              texts.add((error.isError() ? "ERROR " : "WARNING ") + error.getErrorID() + " "
                  + error.getErrorText(Locale.US).replaceAll("\\s+", " "));
            }
          System.out.println(String.join("\t", file, rules, "" + errors, "" + warnings, String.join(" | ", texts)));
        }
  }

  private static List<String> rulesOf(String xml) {
    boolean isCii = xml.contains("CrossIndustryInvoice");
    boolean isNote = xml.contains("<CreditNote");
    String ubl = isNote ? "ubl-creditnote" : "ubl";
    List<String> rules = new ArrayList<>(List.of("eu.cen.en16931:" + (isCii ? "cii" : ubl) + ":1.3.16"));
    if (xml.contains("peppol.eu:2017:poacc:billing:3.0"))
      rules.add("eu.peppol.bis3:" + (isNote ? "creditnote" : "invoice") + ":2026.5");
    else if (xml.contains("xrechnung_3.0"))
      rules.add("de.xrechnung:" + (isCii ? "cii" : isNote ? "ubl-creditnote" : "ubl-invoice") + ":3.0.2");
    else if (isCii) rules.add("fr.factur-x:en16931:1.0.8");
    return rules;
  }
}
